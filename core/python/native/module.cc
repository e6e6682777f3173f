// pysolate._core: the engine door for CPython. Method by method what core/include/pysolate/engine.h says; a refused
// input raises pysolate.engine.EngineError.
#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "pysolate/engine.h"

namespace py = pybind11;

namespace {

// Python's text as UTF-8. Lone surrogates, which a Python string may hold, are no UTF-8: they become '?'.
class Utf8 {
 public:
  explicit Utf8(const py::str& text) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (data == nullptr) {
      PyErr_Clear();
      bytes_ = py::reinterpret_steal<py::object>(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "replace"));
      if (!bytes_) throw py::error_already_set();
      PyBytes_AsStringAndSize(bytes_.ptr(), const_cast<char**>(&data), &size);
    }
    view_ = {data, static_cast<size_t>(size)};
  }
  operator std::string_view() const { return view_; }  // NOLINT: it is a view of the text

 private:
  py::object bytes_;
  std::string_view view_;
};

// Owned by the module for as long as the interpreter lives.
PyObject* g_engine_error = nullptr;

class NativeEngine {
 public:
  explicit NativeEngine(const py::str& options) : engine_(Utf8(options)) { Check(); }

  uint32_t Input(int64_t now, const py::str& text) { return Checked(engine_.Input(now, Utf8(text))); }
  uint32_t Arrive(int64_t now, uint32_t tool, uint32_t site, uint32_t scope, bool guess, const py::str& deps,
                  const py::str& order) {
    return Checked(engine_.Arrive(now, tool, site, scope, guess, Utf8(deps), Utf8(order)));
  }
  void Args(int64_t now, uint32_t call, uint32_t key, const py::str& preview) {
    engine_.Args(now, call, key, Utf8(preview));
    Check();
  }
  uint64_t Reach(int64_t now, uint32_t tool, uint32_t site, uint32_t scope, uint32_t key, const py::str& preview,
                 const py::str& order, uint32_t parent) {
    return Checked(engine_.Reach(now, tool, site, scope, key, Utf8(preview), Utf8(order), parent));
  }
  void Complete(int64_t now, uint32_t attempt, int64_t bytes, const py::str& preview) {
    engine_.Complete(now, attempt, bytes, Utf8(preview));
    Check();
  }
  uint32_t Consume(int64_t now, uint32_t call) { return Checked(engine_.Consume(now, call)); }
  uint32_t StateOf(uint32_t call) { return Checked(engine_.StateOf(call)); }
  uint32_t AttemptOf(uint32_t call) { return Checked(engine_.AttemptOf(call)); }
  std::string Commands() { return Checked(engine_.Commands()); }
  std::string TakeTrace() { return engine_.TakeTrace(); }
  int64_t NextDeadline() { return Checked(engine_.NextDeadline()); }
  std::string Query(const py::str& text) { return Checked(engine_.Query(Utf8(text))); }

 private:
  void Check() {
    if (engine_.error().empty()) return;
    PyErr_SetString(g_engine_error, engine_.error().c_str());
    throw py::error_already_set();
  }
  template <typename T>
  T Checked(T value) {
    Check();
    return value;
  }

  pysolate::Engine engine_;
};

}  // namespace

PYBIND11_MODULE(_core, m) {
  m.doc() = "The scheduler of Pysolate (see pysolate/engine.py for what its methods do).";
  g_engine_error = py::module_::import("pysolate.engine").attr("EngineError").cast<py::object>().release().ptr();
  py::class_<NativeEngine>(m, "Engine")
      .def(py::init<const py::str&>(), py::arg("options"))
      .def("input", &NativeEngine::Input, py::arg("now"), py::arg("text"))
      .def("arrive", &NativeEngine::Arrive, py::arg("now"), py::arg("tool"), py::arg("site"), py::arg("scope"),
           py::arg("guess"), py::arg("deps"), py::arg("order"))
      .def("args", &NativeEngine::Args, py::arg("now"), py::arg("call"), py::arg("key"), py::arg("preview"))
      .def("reach", &NativeEngine::Reach, py::arg("now"), py::arg("tool"), py::arg("site"), py::arg("scope"),
           py::arg("key"), py::arg("preview"), py::arg("order"), py::arg("parent"))
      .def("complete", &NativeEngine::Complete, py::arg("now"), py::arg("attempt"), py::arg("nbytes"),
           py::arg("preview"))
      .def("consume", &NativeEngine::Consume, py::arg("now"), py::arg("call"))
      .def("state_of", &NativeEngine::StateOf, py::arg("call"))
      .def("attempt_of", &NativeEngine::AttemptOf, py::arg("call"))
      .def("commands", &NativeEngine::Commands)
      .def("take_trace", &NativeEngine::TakeTrace)
      .def("next_deadline", &NativeEngine::NextDeadline)
      .def("query", &NativeEngine::Query, py::arg("text"));
}
