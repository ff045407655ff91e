#include "tests/support/certificate_authority.h"

#include <stdexcept>
#include <utility>

#include "tests/support/program_run.h"
#include "tests/support/temporary_directory.h"

namespace longshore::test {
namespace {

void run_openssl(std::vector<std::string> words) {
  words.insert(words.begin(), "/usr/bin/openssl");
  const ProgramRun run = run_program(words);
  if (run.exit_code != 0) throw std::runtime_error("openssl " + words[1] + ": " + run.errors);
}

}  // namespace

CertificateAuthority::CertificateAuthority(const std::string& folder) : folder_(folder) {
  // The machine's own configuration would add extensions of its choice.
  write_file(folder_ + "/openssl.cnf", "[req]\ndistinguished_name = name\n[name]\n");
  own_ = make("authority", "/CN=test authority",
              {"-addext", "basicConstraints=critical,CA:TRUE", "-addext",
               "keyUsage=critical,keyCertSign,cRLSign"});
}

KeyPair CertificateAuthority::server(const std::string& name, const std::string& address) const {
  return signed_by_us(
      name, "/CN=" + name,
      {"-addext", "extendedKeyUsage=serverAuth", "-addext", "subjectAltName=IP:" + address});
}

KeyPair CertificateAuthority::client(const std::string& name) const {
  return signed_by_us("client-" + name, "/CN=" + name, {"-addext", "extendedKeyUsage=clientAuth"});
}

KeyPair CertificateAuthority::make(const std::string& file, const std::string& subject,
                                   const std::vector<std::string>& more) const {
  const KeyPair pair{folder_ + "/" + file + ".key", folder_ + "/" + file + ".crt"};
  std::vector<std::string> words = {"req",
                                    "-x509",
                                    "-config",
                                    folder_ + "/openssl.cnf",
                                    "-days",
                                    "7",
                                    "-newkey",
                                    "ec",
                                    "-pkeyopt",
                                    "ec_paramgen_curve:P-256",
                                    "-nodes",
                                    "-subj",
                                    subject,
                                    "-keyout",
                                    pair.key_file,
                                    "-out",
                                    pair.certificate_file};
  words.insert(words.end(), more.begin(), more.end());
  run_openssl(std::move(words));
  return pair;
}

KeyPair CertificateAuthority::signed_by_us(const std::string& file, const std::string& subject,
                                           std::vector<std::string> more) const {
  more.insert(more.end(), {"-CA", own_.certificate_file, "-CAkey", own_.key_file});
  return make(file, subject, more);
}

void make_key(const std::string& file) {
  // In the form of SEC 1: Kubernetes 1.20 reads no public key from one of PKCS #8.
  run_openssl({"ecparam", "-genkey", "-noout", "-name", "prime256v1", "-out", file});
}

}  // namespace longshore::test
