/* JSON, as much as symbol files need. */
#ifndef MXNET_EXTENSION_JSON_H_
#define MXNET_EXTENSION_JSON_H_

#include <stdlib.h>

#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "messages.h"

namespace mxnet {
namespace ext {

enum JsonType { ERR, STR, NUM, LIST, MAP };

/*
 * A JSON value. Numbers keep their text, so that fractions survive; `num` is their whole part.
 * true, false and null are NUM with the word as text and 1, 0, 0 as number. Text that is no JSON
 * parses to ERR.
 */
struct JsonVal {
  JsonVal() : type(ERR), num(-1) {}
  explicit JsonVal(JsonType kind) : type(kind), num(-1) {}
  explicit JsonVal(std::string text) : type(STR), num(-1), str(std::move(text)) {}
  explicit JsonVal(int number) : type(NUM), num(number), str(std::to_string(number)) {}
  JsonVal(JsonType kind, int number, std::string text)
      : type(kind), num(number), str(std::move(text)) {}

  bool operator<(const JsonVal& other) const {
    if (type != other.type) return type < other.type;
    if (type == STR || type == NUM) return str < other.str;
    if (type == LIST) return list < other.list;
    return map < other.map;
  }

  static JsonVal parse(const std::string& json) {
    unsigned int position = 0;
    return parse(json, &position);
  }

  /* Parse the value at a position, which moves behind it. */
  static JsonVal parse(const std::string& json, unsigned int* position);
  static JsonVal parse_string(const std::string& json, unsigned int* position);
  static JsonVal parse_num(const std::string& json, unsigned int* position);
  static JsonVal parse_list(const std::string& json, unsigned int* position);
  static JsonVal parse_map(const std::string& json, unsigned int* position);

  /* The value as JSON. */
  std::string dump() const;

  /* The value and its type, to read while debugging. */
  std::string toString() const;

  JsonType type;
  int num;
  std::string str;
  std::vector<JsonVal> list;
  std::map<JsonVal, JsonVal> map;
};

namespace json {

inline void skip_space(const std::string& text, unsigned int* at) {
  while (*at < text.size() && std::string(" \t\r\n").find(text[*at]) != std::string::npos) ++*at;
}

/* Step over a character, if it is the next one. */
inline bool accept(const std::string& text, unsigned int* at, char expected) {
  skip_space(text, at);
  if (*at >= text.size() || text[*at] != expected) return false;
  ++*at;
  return true;
}

inline JsonVal failure(const char* what, const std::string& text, unsigned int at) {
  MX_ERROR_MSG << "this is no JSON: " << what << " expected at '"
               << (at < text.size() ? text.substr(at, 40) : std::string()) << "'";
  return JsonVal();
}

inline void append_utf8(unsigned int code, std::string* out) {
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  const unsigned int lead = more == 1 ? 0xC0 : more == 2 ? 0xE0 : 0xF0;
  out->push_back(static_cast<char>(lead | (code >> (6 * more))));
  for (int i = more - 1; i >= 0; --i) {
    out->push_back(static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3F)));
  }
}

/* The number behind \u; 0 if there are no four digits. */
inline unsigned int hex4(const std::string& text, unsigned int* at) {
  const std::string digits = *at + 4 <= text.size() ? text.substr(*at, 4) : std::string("0");
  *at += 4;
  return static_cast<unsigned int>(strtoul(digits.c_str(), nullptr, 16));
}

/* Read what follows a backslash. */
inline void unescape(const std::string& text, unsigned int* at, std::string* out) {
  static const std::string from = "bfnrt", to = "\b\f\n\r\t";
  const char letter = text[(*at)++];
  if (letter != 'u') {
    const size_t which = from.find(letter);
    out->push_back(which == std::string::npos ? letter : to[which]);
    return;
  }
  unsigned int code = hex4(text, at);
  if (code >= 0xD800 && code < 0xDC00 && text.compare(*at, 2, "\\u") == 0) {
    *at += 2;
    code = 0x10000 + ((code - 0xD800) << 10) + (hex4(text, at) - 0xDC00);
  }
  append_utf8(code, out);
}

inline std::string quoted(const std::string& text) {
  static const std::string from = "\b\f\n\r\t\"\\", to = "bfnrt\"\\";
  static const char* const hex = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    const size_t which = from.find(c);
    if (which != std::string::npos) {
      out += '\\';
      out += to[which];
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += std::string("\\u00") + hex[c >> 4] + hex[c & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace json

inline JsonVal JsonVal::parse_string(const std::string& text, unsigned int* at) {
  JsonVal value{std::string()};
  while (*at < text.size()) {
    const char c = text[(*at)++];
    if (c == '"') return value;
    if (c != '\\') {
      value.str.push_back(c);
    } else if (*at < text.size()) {
      json::unescape(text, at, &value.str);
    }
  }
  return json::failure("the end of a string", text, *at);
}

inline JsonVal JsonVal::parse_num(const std::string& text, unsigned int* at) {
  const unsigned int start = *at;
  while (*at < text.size() && std::string("+-.0123456789eE").find(text[*at]) != std::string::npos) {
    ++*at;
  }
  const std::string digits = text.substr(start, *at - start);
  if (digits.find_first_of("0123456789") == std::string::npos) {
    return json::failure("a value", text, start);
  }
  return JsonVal(NUM, static_cast<int>(strtod(digits.c_str(), nullptr)), digits);
}

inline JsonVal JsonVal::parse_list(const std::string& text, unsigned int* at) {
  JsonVal value(LIST);
  if (json::accept(text, at, ']')) return value;
  do {
    value.list.push_back(parse(text, at));
    if (value.list.back().type == ERR) return JsonVal();
  } while (json::accept(text, at, ','));
  return json::accept(text, at, ']') ? value : json::failure("',' or ']'", text, *at);
}

inline JsonVal JsonVal::parse_map(const std::string& text, unsigned int* at) {
  JsonVal value(MAP);
  if (json::accept(text, at, '}')) return value;
  do {
    if (!json::accept(text, at, '"')) return json::failure("a key", text, *at);
    const JsonVal key = parse_string(text, at);
    if (key.type == ERR) return JsonVal();
    if (!json::accept(text, at, ':')) return json::failure("':'", text, *at);
    const JsonVal item = parse(text, at);
    if (item.type == ERR) return JsonVal();
    value.map[key] = item;
  } while (json::accept(text, at, ','));
  return json::accept(text, at, '}') ? value : json::failure("',' or '}'", text, *at);
}

inline JsonVal JsonVal::parse(const std::string& text, unsigned int* at) {
  if (json::accept(text, at, '"')) return parse_string(text, at);
  if (json::accept(text, at, '[')) return parse_list(text, at);
  if (json::accept(text, at, '{')) return parse_map(text, at);
  for (const char* word : {"true", "false", "null"}) {
    const std::string expected = word;
    if (text.compare(*at, expected.size(), expected) == 0) {
      *at += static_cast<unsigned int>(expected.size());
      return JsonVal(NUM, expected == "true" ? 1 : 0, expected);
    }
  }
  return parse_num(text, at);
}

inline std::string JsonVal::dump() const {
  std::string out;
  if (type == STR) return json::quoted(str);
  if (type == NUM) return str;
  if (type == LIST) {
    for (const JsonVal& item : list) out += (out.empty() ? "" : ", ") + item.dump();
    return "[" + out + "]";
  }
  if (type == MAP) {
    for (const auto& item : map) {
      out += (out.empty() ? "" : ", ") + item.first.dump() + ": " + item.second.dump();
    }
    return "{" + out + "}";
  }
  return "null";
}

inline std::string JsonVal::toString() const {
  static const char* const names[] = {"Error", "STR", "NUM", "LIST", "MAP"};
  return std::string("json(") + names[type] + (type == ERR ? "" : ": " + dump()) + ")";
}

/* The same under the names that sources for MXNet 1.7 use. */
struct JsonParser {
  JsonVal parse_to_json(const std::string& json) { return JsonVal::parse(json); }
  JsonVal parse(const std::string& json, unsigned int* at) { return JsonVal::parse(json, at); }
  JsonVal parse_string(const std::string& json, unsigned int* at) {
    return JsonVal::parse_string(json, at);
  }
  JsonVal parse_num(const std::string& json, unsigned int* at) {
    return JsonVal::parse_num(json, at);
  }
  JsonVal parse_list(const std::string& json, unsigned int* at) {
    return JsonVal::parse_list(json, at);
  }
  JsonVal parse_map(const std::string& json, unsigned int* at) {
    return JsonVal::parse_map(json, at);
  }
  std::string dump(const JsonVal& value) { return value.dump(); }
  std::string json_val_string(const JsonVal& value) { return value.toString(); }
  void print_json_val(const JsonVal& value) { std::cout << value.toString() << std::endl; }
};

}  // namespace ext
}  // namespace mxnet

#endif  // MXNET_EXTENSION_JSON_H_
