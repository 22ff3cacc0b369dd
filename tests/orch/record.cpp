// Runs the orchestration it is compiled with (-DORCHESTRATION='"FILE.cpp"') against the stand-in runtime.
// Arguments: `4x8` a tensor of that shape, `=5` a scalar.
#include <cstdlib>

#include ORCHESTRATION

int main(int argc, char** argv) {
  ChipTaskArgs args;
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] == '=') {
      args.scalars.push_back(std::strtoull(argv[i] + 1, nullptr, 10));
      continue;
    }
    std::vector<uint32_t> shape;
    for (char* p = argv[i]; *p; p += *p == 'x') shape.push_back(static_cast<uint32_t>(std::strtoul(p, &p, 10)));
    std::string name = "arg" + std::to_string(args.tensors.size());
    args.tensors.push_back(ChipTensor::made(name, shape.data(), static_cast<uint32_t>(shape.size())));
  }
  int wanted = aicpu_orchestration_config(args).expected_arg_count;
  if (wanted != argc - 1) {
    std::printf("wants %d arguments\n", wanted);
    return 1;
  }
  aicpu_orchestration_entry(args);
  return 0;
}
