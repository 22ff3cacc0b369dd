// A stand-in for the runtime's interface, for tests: generated orchestrations compile against it, and
// what they submit is printed, one line for each task, instead of being run.
//
// Only what docs/codegen-orchestration.md promises is here, so that an orchestration that leaves that
// interface does not compile.
#ifndef PYPTOC_TESTS_ORCHESTRATION_API_H
#define PYPTOC_TESTS_ORCHESTRATION_API_H

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

enum class DataType {
  FLOAT16, FLOAT32, BFLOAT16, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
  FP8E4M3FN, FP8E5M2, FP8E8M0, FP4E2M1, UNKNOWN,
};

inline void always_assert(bool ok) { assert(ok); }

// ---- tensors ----

enum { MAX_TENSOR_DIMS = 5 };

struct ChipTensor {
  std::string name;
  uint32_t ndims = 0;
  uint32_t shapes[MAX_TENSOR_DIMS] = {};
  uint32_t strides[MAX_TENSOR_DIMS] = {};
  bool is_contiguous = true;

  static ChipTensor made(const std::string& name, const uint32_t* shape, uint32_t n) {
    ChipTensor t;
    t.name = name;
    t.ndims = n;
    uint32_t stride = 1;
    for (uint32_t i = n; i-- > 0;) {
      t.shapes[i] = shape[i];
      t.strides[i] = stride;
      stride *= shape[i];
    }
    return t;
  }
  uint64_t numel() const {
    uint64_t n = 1;
    for (uint32_t i = 0; i < ndims; i++) n *= shapes[i];
    return n;
  }
  static std::string list(const uint32_t* v, uint32_t n) {
    std::string s = "[";
    for (uint32_t i = 0; i < n; i++) s += (i ? "," : "") + std::to_string(v[i]);
    return s + "]";
  }
  ChipTensor view(const uint32_t* shape, const uint32_t* offset) const {
    ChipTensor t = *this;
    for (uint32_t i = 0; i < ndims; i++) t.shapes[i] = shape[i];
    t.name = name + ".view" + list(shape, ndims) + "@" + list(offset, ndims);
    t.is_contiguous = false;
    return t;
  }
  ChipTensor reshape(const uint32_t* shape, uint32_t n) const {
    return made(name + ".reshape" + list(shape, n), shape, n);
  }
  ChipTensor transpose(uint32_t a, uint32_t b) const {
    ChipTensor t = *this;
    std::swap(t.shapes[a], t.shapes[b]);
    std::swap(t.strides[a], t.strides[b]);
    t.name = name + ".transpose(" + std::to_string(a) + "," + std::to_string(b) + ")";
    return t;
  }
};

struct TensorCreateInfo {
  std::vector<uint32_t> shape;
  bool manual_dep;
  TensorCreateInfo(const uint32_t* s, uint32_t n, DataType, bool manual = false) : shape(s, s + n), manual_dep(manual) {}
  template <typename T> void set_initial_value(T) {}
};

// ---- task ids ----

struct PTO2TaskId {
  int n = -1;
  static PTO2TaskId invalid() { return {}; }
  bool is_valid() const { return n >= 0; }
};

struct TaskOutputTensors {
  int task = -1;
  std::vector<ChipTensor> outputs;
  PTO2TaskId task_id() const {
    PTO2TaskId id;
    id.n = task;
    return id;
  }
  const ChipTensor& get_ref(size_t i) const { return outputs.at(i); }
};

// ---- what a task is given ----

template <typename T> uint64_t to_u64(T v) {
  uint64_t out = 0;
  std::memcpy(&out, &v, sizeof v);
  return out;
}
template <typename T> T from_u64(uint64_t v) {
  T out;
  std::memcpy(&out, &v, sizeof out);
  return out;
}

enum class PredicateOp { EQ, NE, GT, LT, GE, LE };

struct CoreTaskPredicate {
  struct {
    const ChipTensor* tensor = nullptr;
    uint32_t ndims = 0;
    uint32_t indices[MAX_TENSOR_DIMS] = {};
  } operand;
  PredicateOp op = PredicateOp::EQ;
  int64_t target = 0;
};

struct LaunchSpec {
  int64_t cores = 1;
  bool together = false;
  void set_block_num(int64_t n) { cores = n; }
  void set_core_num(int64_t n) { cores = n; }
  void set_require_sync_start(bool b) { together = b; }
};

struct CoreTaskArgs {
  std::string text;
  std::vector<TensorCreateInfo> created;
  bool scalars = false;
  LaunchSpec launch_spec;

  void tensor(const char* how, const std::string& what) {
    assert(!scalars && "tensors come before scalars");
    text += std::string(" ") + how + "(" + what + ")";
  }
  void add_input(const ChipTensor& t) { tensor("in", t.name); }
  void add_output(const ChipTensor& t) { tensor("out", t.name); }
  void add_output(const TensorCreateInfo& c) {
    tensor("out", "new");
    created.push_back(c);
  }
  void add_inout(const ChipTensor& t) { tensor("inout", t.name); }
  void add_no_dep(const ChipTensor& t) { tensor("nodep", t.name); }
  void add_scalar(uint64_t v) {
    scalars = true;
    text += " scalar(" + std::to_string(v) + ")";
  }
  template <typename... Tensors> void dump(const Tensors&... t) {
    text += " dump(";
    ((text += t.name + " "), ...);
    text.back() = ')';
  }
  void set_dependencies(const PTO2TaskId* ids, uint32_t n) {
    text += " after(";
    for (uint32_t i = 0; i < n; i++) {
      assert(ids[i].is_valid());
      text += (i ? "," : "") + std::to_string(ids[i].n);
    }
    text += ")";
  }
  void set_allow_early_resolve(bool) { text += " early"; }
  void set_predicate(const CoreTaskPredicate& p) {
    static const char* const names[] = {"==", "!=", ">", "<", ">=", "<="};
    text += " if(" + p.operand.tensor->name + ChipTensor::list(p.operand.indices, p.operand.ndims) +
            names[static_cast<int>(p.op)] + std::to_string(p.target) + ")";
  }
};

// ---- submitting ----

enum { INVALID_KERNEL_ID = -1 };
struct MixedKernels {
  int aic, aiv0, aiv1;
};

inline int next_task = 0;
inline int next_alloc = 0;
inline int scope_depth = 0;

inline TaskOutputTensors submitted(const std::string& kernel, const CoreTaskArgs& args) {
  TaskOutputTensors out;
  out.task = next_task++;
  for (const auto& c : args.created)
    out.outputs.push_back(ChipTensor::made("task" + std::to_string(out.task) + "." + std::to_string(out.outputs.size()),
                                           c.shape.data(), static_cast<uint32_t>(c.shape.size())));
  std::string launch;
  if (args.launch_spec.cores != 1) launch = " x" + std::to_string(args.launch_spec.cores);
  if (args.launch_spec.together) launch += " together";
  std::printf("%*stask %d: %s%s%s\n", 2 * scope_depth, "", out.task, kernel.c_str(), launch.c_str(), args.text.c_str());
  return out;
}
inline TaskOutputTensors rt_submit_aic_task(int id, const CoreTaskArgs& a) { return submitted("aic " + std::to_string(id), a); }
inline TaskOutputTensors rt_submit_aiv_task(int id, const CoreTaskArgs& a) { return submitted("aiv " + std::to_string(id), a); }
inline TaskOutputTensors rt_submit_dummy_task(const CoreTaskArgs& a) { return submitted("barrier", a); }
inline TaskOutputTensors rt_submit_task(const MixedKernels& m, const CoreTaskArgs& a) {
  return submitted("mixed " + std::to_string(m.aic) + "," + std::to_string(m.aiv0) + "," + std::to_string(m.aiv1), a);
}

template <typename... Infos> TaskOutputTensors alloc_tensors(const Infos&... infos) {
  static_assert(sizeof...(infos) <= 16, "one allocation holds 16 tensors");
  TaskOutputTensors out;
  (out.outputs.push_back(ChipTensor::made("alloc" + std::to_string(next_alloc++), infos.shape.data(),
                                          static_cast<uint32_t>(infos.shape.size()))),
   ...);
  return out;
}

inline int32_t rt_available_aiv_count() { return 48; }
inline int32_t rt_available_cluster_count() { return 24; }

// Elements read as their own index; writes are printed.
template <typename T> T get_tensor_data(const ChipTensor&, uint32_t n, const uint32_t* at) { return static_cast<T>(n ? at[0] : 0); }
template <typename T> void set_tensor_data(const ChipTensor& t, uint32_t n, const uint32_t* at, T v) {
  std::printf("%*sset %s%s = %g\n", 2 * scope_depth, "", t.name.c_str(), ChipTensor::list(at, n).c_str(), static_cast<double>(v));
}

// ---- scopes ----

enum class PTO2ScopeMode { AUTO, MANUAL };
struct Scope {
  bool open = true;
  explicit Scope(PTO2ScopeMode mode = PTO2ScopeMode::AUTO) {
    std::printf("%*s%s {\n", 2 * scope_depth++, "", mode == PTO2ScopeMode::AUTO ? "scope" : "manual");
  }
  ~Scope() { std::printf("%*s}\n", 2 * --scope_depth, ""); }
};
#define PTO2_SCOPE(...) for (Scope _scope{__VA_ARGS__}; _scope.open; _scope.open = false)

// ---- the entry ----

struct TensorArg {
  ChipTensor* t;
  const ChipTensor& ref() const { return *t; }
};
struct ChipTaskArgs {
  std::vector<ChipTensor> tensors;
  std::vector<uint64_t> scalars;
  TensorArg tensor(size_t i) const { return {const_cast<ChipTensor*>(&tensors.at(i))}; }
  uint64_t scalar(size_t i) const { return scalars.at(i); }
};
struct PTO2OrchestrationConfig {
  int expected_arg_count;
};

#endif
