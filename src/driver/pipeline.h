/* pipeline.h -- runs passes in order, with verification, dumps and timing. */
#ifndef PYPTOC_DRIVER_PIPELINE_H
#define PYPTOC_DRIVER_PIPELINE_H

#include "driver/options.h"
#include "passes/pass.h"

/* Runs what o->passes asks for, writing the dumps it asks for as it goes.  NULL after reporting errors. */
Program *pipeline_run(Ir *ir, const Options *o, Program *p);

#endif
