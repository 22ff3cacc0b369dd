/* deduce_tile.h -- the variants of deductions that several tile operators share (Op.param). */
#ifndef PYPTOC_IR_OPS_DEDUCE_TILE_H
#define PYPTOC_IR_OPS_DEDUCE_TILE_H

enum TileParam {
  TILE_INT = 1 << 0,      /* integers only */
  TILE_SCRATCH = 1 << 1,  /* the last operand is a scratch tile */
  TILE_STRICT = 1 << 2,   /* both tiles alike: type, shape, valid shape */
  TILE_SHIFT = 1 << 3,    /* the second operand counts bits */
  TILE_SUBS = 1 << 4,     /* the types that pto.tsubs has */
  TILE_FP32 = 1 << 5,     /* FP32 only */
  TILE_FLOAT = 1 << 6,    /* FP16 and FP32 only */
  TILE_PRECISE = 1 << 7,  /* high_precision for FP16 and FP32 only */
  TILE_INT16 = 1 << 8,    /* INT16 and UINT16 only */
  TILE_SCALAR = 1 << 9,   /* the second operand is a scalar */
  TILE_ARG = 1 << 10,     /* the place of the extreme, not its value */
  TILE_ROW_MIN = 1 << 11, /* the types and layout of pto.trowmin */
  TILE_ACC = 1 << 12,     /* into an accumulator, the first operand */
  TILE_BIAS = 1 << 13,    /* with a bias row, the last operand */
  TILE_SHARD = 1 << 14,   /* from the cube core to the vector cores */
};

#endif
