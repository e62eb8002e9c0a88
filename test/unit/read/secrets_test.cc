// SPDX-License-Identifier: Apache-2.0
#include "cli/read/secrets.h"

#include <gtest/gtest.h>

namespace polyrail::read {
namespace {

struct Line {
  const char* text;
  const char* shown;
};

class Secrets : public testing::TestWithParam<Line> {};

TEST_P(Secrets, DoNotComeOut) { EXPECT_EQ(withoutSecrets(GetParam().text), GetParam().shown); }

INSTANTIATE_TEST_SUITE_P(
    Lines, Secrets,
    testing::Values(Line{"TOKEN=hunter2 ./run", "TOKEN=... ./run"},
                    Line{"--password hunter2 -b 8", "--password ... -b 8"},
                    Line{"--password=hunter2", "--password=..."}, Line{"password: hunter2!", "password: ..."},
                    Line{"db-passwd:hunter2", "db-passwd:..."}, Line{"{\"api_key\":\"hunter2\"}", "{\"api_key\":..."},
                    Line{"\"token\": \"hunter2\", \"a\": 1", "\"token\": ... \"a\": 1"},
                    Line{"Authorization: Bearer hunter2", "Authorization: Bearer ..."},
                    Line{"https://me:hunter2@host/x", "https://me:...@host/x"},
                    Line{"git+https://hunter2@host", "git+https://...@host"},
                    Line{"sshpass -p hunter2 ssh n1", "sshpass -p ... ssh n1"},
                    Line{"sshpass -phunter2 ssh n1", "sshpass -p... ssh n1"},
                    Line{"curl -u me:hunter2 x", "curl -u me:... x"},
                    Line{"key AKIAIOSFODNN7EXAMPLE here", "key ... here"}, Line{"'ghp_0123456789abcdef'", "'..."},
                    Line{"WANDB_API_KEY=hunter2", "WANDB_API_KEY=..."}));

INSTANTIATE_TEST_SUITE_P(
    Kept, Secrets,
    testing::Values(Line{"Permission denied (publickey,password).", "Permission denied (publickey,password)."},
                    Line{"syntax error near unexpected token `('", "syntax error near unexpected token `('"},
                    Line{"NCCL_DEBUG=INFO failed", "NCCL_DEBUG=INFO failed"},
                    Line{"a.cu:940 'unhandled system error'", "a.cu:940 'unhandled system error'"},
                    Line{"http://host:8080/path", "http://host:8080/path"},
                    Line{"user@host: exit code 1", "user@host: exit code 1"},
                    Line{"ibv_poll_cq status=12 vendor err 129", "ibv_poll_cq status=12 vendor err 129"}));

}  // namespace
}  // namespace polyrail::read
