/* deduce_tensor_pending.c -- deductions not written yet: a call of such an operator is an error. */
#include "ir/ops/bind.h"
#include "ir/ops/deduce.h"

#define PENDING(fn) \
  const Type *fn(OpCall *c) { return op_error(c, "not supported by this version yet"); }
PENDING(deduce_tensor_binary)
PENDING(deduce_tensor_scalar)
PENDING(deduce_tensor_either)
PENDING(deduce_tensor_bitwise)
PENDING(deduce_tensor_bitwise_scalar)
PENDING(deduce_tensor_unary)
PENDING(deduce_tensor_cast)
PENDING(deduce_tensor_row_expand)
PENDING(deduce_tensor_col_expand)
PENDING(deduce_tensor_expands)
PENDING(deduce_tensor_expand_clone)
PENDING(deduce_tensor_reduce)
PENDING(deduce_tensor_matmul)
PENDING(deduce_tensor_matmul_acc)
PENDING(deduce_tensor_create)
PENDING(deduce_tensor_create_l1)
PENDING(deduce_tensor_full)
PENDING(deduce_tensor_ci)
PENDING(deduce_tensor_random)
PENDING(deduce_tensor_alloc)
PENDING(deduce_tensor_read)
PENDING(deduce_tensor_write)
PENDING(deduce_tensor_dim)
PENDING(deduce_tensor_slice)
PENDING(deduce_tensor_assemble)
PENDING(deduce_tensor_fillpad)
PENDING(deduce_tensor_fillpad_expand)
PENDING(deduce_tensor_reshape)
PENDING(deduce_tensor_reinterpret)
PENDING(deduce_tensor_transpose)
PENDING(deduce_tensor_view)
PENDING(deduce_tensor_concat)
PENDING(deduce_tensor_set_validshape)
PENDING(deduce_tensor_split)
PENDING(deduce_tensor_index)
PENDING(deduce_tensor_gather)
PENDING(deduce_tensor_gather_mask)
PENDING(deduce_tensor_gather_compare)
PENDING(deduce_tensor_paged_gather)
PENDING(deduce_tensor_gather_row)
PENDING(deduce_tensor_scatter)
PENDING(deduce_tensor_scatter_mask)
PENDING(deduce_tensor_scatter_update)
PENDING(deduce_tensor_sort32)
PENDING(deduce_tensor_mrgsort1)
PENDING(deduce_tensor_mrgsort2)
PENDING(deduce_array_create)
PENDING(deduce_array_get)
PENDING(deduce_array_update)
PENDING(deduce_nothing)
PENDING(deduce_i32)
PENDING(deduce_i64)
PENDING(deduce_bool)
PENDING(deduce_task_id)
PENDING(deduce_system_cacheinvalid)
PENDING(deduce_system_syncall)
PENDING(deduce_system_set_ffts)
PENDING(deduce_system_sync)
PENDING(deduce_prefetch)
PENDING(deduce_prefetch_start)
PENDING(deduce_pld_alloc)
PENDING(deduce_pld_window)
PENDING(deduce_pld_transfer)
PENDING(deduce_pld_tile_transfer)
PENDING(deduce_pld_remote_store)
PENDING(deduce_pld_remote_load)
PENDING(deduce_pld_allreduce)
PENDING(deduce_pld_barrier)
PENDING(deduce_pld_broadcast)
PENDING(deduce_pld_exchange)
PENDING(deduce_pld_exchange_v)
PENDING(deduce_pld_reduce_scatter)
PENDING(deduce_pld_ctx)
PENDING(deduce_pld_notify)
PENDING(deduce_pld_wait)
PENDING(deduce_builtin_allreduce)
PENDING(deduce_builtin_ring)
PENDING(deduce_builtin_barrier)
PENDING(deduce_builtin_broadcast)
PENDING(deduce_builtin_reduce_scatter)

static bool bind_plainly(Written *w, OpCall *c) {
  Binding b;
  return bind_match(w, c, &b) && bind_finish(&b, w->op);
}
bool bind_tensor_gather(Written *w, OpCall *c) { return bind_plainly(w, c); }
bool bind_tensor_scatter(Written *w, OpCall *c) { return bind_plainly(w, c); }
bool bind_tile_mrgsort(Written *w, OpCall *c) { return bind_plainly(w, c); }
bool bind_tensor_mrgsort(Written *w, OpCall *c) { return bind_plainly(w, c); }
bool bind_system_syncall(Written *w, OpCall *c) { return bind_plainly(w, c); }
bool bind_system_sync(Written *w, OpCall *c) { return bind_plainly(w, c); }
bool bind_alloc_window(Written *w, OpCall *c) { return bind_plainly(w, c); }
bool bind_pld_tile_transfer(Written *w, OpCall *c) { return bind_plainly(w, c); }
bool bind_remote_load_padded(Written *w, OpCall *c) { return bind_plainly(w, c); }
OpEffect effect_atomic_first(const Expr *call, int i) { return (void)call, (void)i, EFFECT_READ; }
OpEffect effect_atomic_second(const Expr *call, int i) { return (void)call, (void)i, EFFECT_READ; }
OpEffect effect_syncall(const Expr *call, int i) { return (void)call, (void)i, EFFECT_READ; }
OpEffect effect_notify(const Expr *call, int i) { return (void)call, (void)i, EFFECT_READ; }
