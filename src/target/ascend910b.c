#include "target/target.h"

extern const Target target_ascend910b;
const Target target_ascend910b = {.name = "ascend910b", .alias = "a2a3"};
