/* deduce_tensor.h -- variants of shared deductions, for .param in rows of the non-tile families. */
#ifndef PYPTOC_IR_OPS_DEDUCE_TENSOR_H
#define PYPTOC_IR_OPS_DEDUCE_TENSOR_H

enum {
  TENSOR_FULL_REGION = 1, /* the result is valid all over, whatever the operands are */
  TENSOR_DIV_TYPES = 2,   /* binary: element types that can be divided */
  TENSOR_SUB_TYPES = 4,   /* scalar: the tensor's type is kept; types that can be subtracted */
  TENSOR_SHIFT = 8,       /* bitwise: operand 0's type is kept; no negative counts */
};

/* Unary: what element type the result has. */
enum {
  TENSOR_SAME_TYPE, /* that of the operand */
  TENSOR_TO_FLOAT,  /* FP32 for integers */
  TENSOR_RECIP_TYPES,
  TENSOR_LOG_TYPES,
  TENSOR_FP32_ONLY,
  TENSOR_NOT_TYPES,
};

enum { TENSOR_ROW_ADD_TYPES = 1 }; /* row_expand: one element type, of few */

enum {
  TENSOR_COLUMNS = 1,       /* reduce: the last dimension but one */
  TENSOR_TO_INDEX = 2,      /* reduce: INT32 places */
  TENSOR_ROW_MIN_TYPES = 4, /* reduce: of few element types */
};

enum { TENSOR_HALVE = 1 }; /* split: a half, not the double */

enum {
  PLD_PUT = 1,       /* transfer: into the peer's window */
  PLD_ALLGATHER = 1, /* exchange: one row from each */
  PLD_BUILTIN = 2,   /* exchange: the chip's side, FP32 only, with a dtype */
  PLD_DEFERRED = 1,  /* wait: defer_wait */
};

#endif
