#include "arith/lend.h"

#include "arith/analyzer.h"

typedef struct Lent {
  IrArith functions; /* first: what Ir points to */
  Analyzer *analyzer;
} Lent;

static Analyzer *analyzer_of(Ir *ir) { return ((const Lent *)ir->arith)->analyzer; }
static bool proves(Ir *ir, Expr *cond) { return analyzer_proves(analyzer_of(ir), cond); }
static Expr *simplify(Ir *ir, Expr *e) { return analyzer_simplify(analyzer_of(ir), e); }

void arith_lend(Ir *ir) {
  Lent *lent = NEW(ir->home, Lent);
  *lent = (Lent){{proves, simplify}, analyzer_new(ir)};
  ir->arith = &lent->functions;
}

void arith_take_back(Ir *ir) {
  analyzer_free(analyzer_of(ir));
  ir->arith = NULL;
}
