/* pipeline.h -- runs passes in order, with verification, dumps and timing. */
#ifndef PYPTOC_DRIVER_PIPELINE_H
#define PYPTOC_DRIVER_PIPELINE_H

#include "base/file.h"
#include "driver/options.h"
#include "passes/pass.h"

/* Runs what o->passes asks for.  Dumps are added to `files`.  NULL after reporting errors. */
Program *pipeline_run(Ir *ir, const Options *o, Program *p, FileSet *files);

#endif
