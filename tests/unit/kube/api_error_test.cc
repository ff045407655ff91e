// What a server's answer means to who asked, and the parts of resources' paths.
#include "kube/api_error.h"

#include <catch2/catch.hpp>

#include "kube/resource_path.h"

namespace longshore::kube {
namespace {

using Catch::Matchers::Contains;

ApiError error_of(int status, const std::string& body, Method method = Method::kGet,
                  const std::string& path = "/api/v1/persistentvolumes/pv-1") {
  Request request;
  request.method = method;
  request.path = path;
  Response response;
  response.status = status;
  response.body = body;
  return status_error(request, response, "the token has expired");
}

std::string status_body(const std::string& reason, const std::string& message) {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":")" + message +
         R"(","reason":")" + reason + R"(","code":1})";
}

TEST_CASE("The reason of a Status is what a controller decides by") {
  struct Case {
    int status;
    const char* name;
    ApiReason reason;
    StatusCode code;
  };
  for (const Case& each : {
           Case{404, "NotFound", ApiReason::kNotFound, StatusCode::kNotFound},
           Case{409, "AlreadyExists", ApiReason::kAlreadyExists, StatusCode::kAlreadyExists},
           Case{409, "Conflict", ApiReason::kConflict, StatusCode::kAborted},
           Case{410, "Gone", ApiReason::kExpired, StatusCode::kOutOfRange},
           Case{410, "Expired", ApiReason::kExpired, StatusCode::kOutOfRange},
           Case{422, "Invalid", ApiReason::kInvalid, StatusCode::kInvalidArgument},
           Case{429, "TooManyRequests", ApiReason::kTooManyRequests,
                StatusCode::kResourceExhausted},
           Case{504, "Timeout", ApiReason::kTimeout, StatusCode::kDeadlineExceeded},
           Case{500, "ServerTimeout", ApiReason::kServerTimeout, StatusCode::kUnavailable},
           Case{500, "InternalError", ApiReason::kOther, StatusCode::kInternal},
           Case{415, "UnsupportedMediaType", ApiReason::kOther, StatusCode::kFailedPrecondition},
       }) {
    INFO(each.name);
    const ApiError error = error_of(each.status, status_body(each.name, "what it is about"));
    CHECK(error.reason() == each.reason);
    CHECK(error.code() == each.code);
    CHECK(error.http_status() == each.status);
    CHECK(error.message() == "cannot get \"/api/v1/persistentvolumes/pv-1\": what it is about");
  }
}

TEST_CASE("An answer without a Status is known by its HTTP status") {
  CHECK(error_of(404, "").reason() == ApiReason::kNotFound);
  CHECK(error_of(409, "", Method::kPost).reason() == ApiReason::kAlreadyExists);
  CHECK(error_of(409, "", Method::kPut).reason() == ApiReason::kConflict);
  CHECK(error_of(410, "{}").reason() == ApiReason::kExpired);
  CHECK(error_of(429, "[]").reason() == ApiReason::kTooManyRequests);
  CHECK(error_of(503, "").reason() == ApiReason::kUnavailable);
  CHECK(error_of(502, "").code() == StatusCode::kUnavailable);
  CHECK(error_of(302, "").reason() == ApiReason::kOther);
  const ApiError error = error_of(502, "<html>\n" + std::string(1000, 'x'));
  CHECK_THAT(error.message(), Contains("the server answered with HTTP status 502: <html>\\nxxx") &&
                                  Catch::EndsWith("xxx..."));
  CHECK(error.message().size() < 400);
}

TEST_CASE("Statuses that are none, too deep or too long do no harm") {
  CHECK(error_of(404, "{\"kind\":\"Status\",\"reason\":7,\"message\":null}").reason() ==
        ApiReason::kNotFound);
  CHECK_THAT(error_of(404, "{\"kind\":\"Status\"}").message(), Contains("HTTP status 404"));
  CHECK(error_of(404, std::string(1u << 20, '[')).reason() == ApiReason::kNotFound);
  CHECK(error_of(404, "{\"kind\":\"Status\"").reason() == ApiReason::kNotFound);
  std::string long_message;
  for (int i = 0; i < 100'000; ++i) long_message += "é";
  const ApiError error = error_of(422, status_body("Invalid", long_message));
  CHECK(error.message().size() < 5000);
  CHECK_THAT(error.message(), Catch::EndsWith("éé..."));
  CHECK_THAT(error_of(418, status_body("Teapot", "")).message(), Contains(": Teapot"));
}

TEST_CASE("Who may not is told which verb of which resource that takes") {
  CHECK_THAT(
      error_of(403, status_body("Forbidden", "no"), Method::kGet, "/api/v1/persistentvolumes")
          .message(),
      Contains("cannot list \"/api/v1/persistentvolumes\": no; ") &&
          Contains("the verb list on the resource persistentvolumes of the API group \"\""));
  CHECK_THAT(error_of(403, "", Method::kPatch,
                      "/apis/snapshot.storage.k8s.io/v1/namespaces/a/volumesnapshots/s/status")
                 .message(),
             Contains("the verb patch on the resource volumesnapshots/status of the API group "
                      "\"snapshot.storage.k8s.io\" in the namespace a"));
  CHECK_THAT(error_of(403, "", Method::kGet, "/metrics").message(),
             Contains("the verb get on the URL /metrics"));
  CHECK(error_of(403, "").code() == StatusCode::kPermissionDenied);
  CHECK_THAT(error_of(401, "").message(), Catch::EndsWith("the token has expired"));
}

TEST_CASE("An error goes on as a plain one, with its sentence") {
  const auto plain = [] { return Result<void>(error_of(409, status_body("Conflict", "newer"))); }();
  REQUIRE_FALSE(plain);
  CHECK(plain.error().code() == StatusCode::kAborted);
  CHECK_THAT(plain.error().message(), Contains("newer"));
}

TEST_CASE("A resource's path has its parts, and comes back") {
  for (const char* path :
       {"/api/v1/nodes", "/api/v1/nodes/n", "/api/v1/namespaces/a", "/api/v1/namespaces/a/status",
        "/api/v1/namespaces/a/pods", "/apis/apps/v1/namespaces/a/replicasets/r/scale"}) {
    INFO(path);
    const auto parsed = parse_resource_path(path);
    REQUIRE(parsed);
    CHECK(parsed->text() == path);
  }
  CHECK(parse_resource_path("/api/v1/namespaces/a")->name == "a");
  CHECK(parse_resource_path("/api/v1/namespaces/a/pods")->name_space == "a");
  CHECK(parse_resource_path("/apis/apps/v1/replicasets")->group == "apps");
  for (const char* other : {"", "/", "/api", "/api/v1", "/apis/apps", "/apis/apps/v1", "/version",
                            "/api/v1/nodes/a/b/c", "api/v1/nodes"}) {
    INFO(other);
    CHECK_FALSE(parse_resource_path(other));
  }
}

TEST_CASE("Retry-After is seconds; a date or nonsense is none") {
  CHECK(parse_retry_after("0") == std::chrono::seconds(0));
  CHECK(parse_retry_after("120") == std::chrono::seconds(120));
  for (const char* bad : {"", "-1", "1.5", " 1", "99999999999", "Wed, 21 Oct 2026 07:28:00 GMT"}) {
    INFO(bad);
    CHECK_FALSE(parse_retry_after(bad));
  }
}

TEST_CASE("Date is read in the form that servers write") {
  using namespace std::chrono;
  CHECK(parse_http_date("Fri, 27 Nov 2026 19:35:04 GMT") ==
        sys_days(2026y / November / 27) + 19h + 35min + 4s);
  for (const char* bad : {"", "now", "Fri, 27 Nov 2026 19:35:04", "Fri, 31 Feb 2026 19:35:04 GMT",
                          "Fri, 27 Nov 2026 19:35:04 GMT+1", "Friday, 27-Nov-26 19:35:04 GMT",
                          "Fri, 27 Nov 2026 25:35:04 GMT"}) {
    INFO(bad);
    CHECK_FALSE(parse_http_date(bad));
  }
}

}  // namespace
}  // namespace longshore::kube
