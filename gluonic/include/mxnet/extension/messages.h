/* What a library reports when something fails: MX_ERROR_MSG << "why"; then return MX_FAIL. */
#ifndef MXNET_EXTENSION_MESSAGES_H_
#define MXNET_EXTENSION_MESSAGES_H_

#include <deque>
#include <mutex>
#include <sstream>
#include <string>

// Every library keeps registries of its own, however many are loaded.
#if defined(_WIN32)
#define PRIVATE_SYMBOL
#else
#define PRIVATE_SYMBOL __attribute__((visibility("hidden")))
#endif

namespace mxnet {
namespace ext {

enum MXReturnValue { MX_FAIL = 0, MX_SUCCESS = 1 };

/* All messages of this library, oldest first. */
class MXerrorMsgs {
 public:
  PRIVATE_SYMBOL static MXerrorMsgs* get() {
    static MXerrorMsgs all;
    return &all;
  }

  /* Begin a message; the place in the source comes first. */
  std::stringstream& add(const char* file, int line) {
    std::stringstream& message = add();
    message << file << "[" << line << "]: ";
    return message;
  }

  std::stringstream& add() {
    std::lock_guard<std::mutex> hold(lock_);
    messages_.emplace_back();
    return messages_.back().stream;
  }

  int size() {
    std::lock_guard<std::mutex> hold(lock_);
    return static_cast<int>(messages_.size());
  }

  /* The message of that number; valid as long as the library is loaded. */
  const std::string* get(int index) {
    std::lock_guard<std::mutex> hold(lock_);
    Message& message = messages_.at(index);
    message.text = message.stream.str();
    return &message.text;
  }

 private:
  struct Message {
    std::stringstream stream;
    std::string text;
  };

  MXerrorMsgs() {}

  std::deque<Message> messages_;  // a deque, for references must survive growth
  std::mutex lock_;
};

#define MX_ERROR_MSG mxnet::ext::MXerrorMsgs::get()->add(__FILE__, __LINE__)

}  // namespace ext
}  // namespace mxnet

#endif  // MXNET_EXTENSION_MESSAGES_H_
