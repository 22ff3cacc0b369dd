#include "target/target.h"

extern const Target target_ascend950;
const Target target_ascend950 = {.name = "ascend950", .alias = "a5"};
