// SPDX-License-Identifier: Apache-2.0
// `polyrail perf`: bandwidth and latency between two processes through the net plugin, called as NCCL calls it.
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/output/progress.h"
#include "cli/perf/print.h"
#include "cli/perf/serve.h"
#include "cli/verbs.h"

namespace polyrail::cli {
namespace {

constexpr int kPort = 18520;
constexpr char kForMeasuring[] = "What is measured (said by the end that is given a HOST, or with --local)";

struct PerfOptions {
  PerfPlan plan;
  EndOptions end;
  std::string host, sizes = "8,4K,64K,1M,8M", peerHca;
  int port = kPort;
  bool local = false, json = false, verifyEvery = false, bandwidthOnly = false, latencyOnly = false;
};

Status finishPlan(PerfOptions& o) {
  Result<std::vector<uint64_t>> sizes = parseSizes(o.sizes);
  if (!sizes.ok()) return sizes.status();
  o.plan.sizes = std::move(sizes).value();
  // What a fault breaks may be any message.
  o.plan.verify = o.verifyEvery || !o.end.faults.empty() ? Verify::kEvery : Verify::kApart;
  o.plan.bandwidth = !o.latencyOnly, o.plan.latency = !o.bandwidthOnly;
  return checkPlan(o.plan);
}

int served(const Result<Received>& result) {
  if (!result.ok()) return fail("perf", result.message(), kExitFailure);
  if (result.value().wrong > 0) return fail("perf", "wrong data: " + result.value().firstWrong, kExitFinding);
  return kExitOk;
}

// A stranger at the port, or a client of another version, does not end the waiting.
int waitForClient(const PerfOptions& o) {
  Result<ControlDoor> door = ControlDoor::open(o.port);
  if (!door.ok()) return fail("perf", door.message(), kExitFailure);
  for (;;) {
    fmt::print(stderr, "polyrail perf: waiting on port {}; on the other host: polyrail perf THIS-HOST --port {}\n",
               door.value().port(), door.value().port());
    Result<Control> control = door.value().admit();
    if (!control.ok()) return fail("perf", control.message(), kExitFailure);
    const Result<PerfPlan> plan = greet(control.value());
    if (plan.ok()) return served(serve(control.value(), plan.value(), o.end));
    fail("perf", "turned away: " + plan.message(), kExitFailure);
  }
}

int show(const PerfOptions& o, const PerfReport& report) {
  if (o.json)
    fmt::print("{}\n", jsonText(perfJson(report)));
  else
    printPerf(report);
  if (!report.error.empty()) return fail("perf", report.error, kExitFailure);
  return report.clean() ? kExitOk : kExitFinding;
}

int showError(const PerfOptions& o, const std::string& error) {
  PerfReport report;
  report.error = error;
  return show(o, report);
}

int measured(Control& control, const PerfOptions& o) {
  return show(o, measure(control, o.plan, o.end, progressLine("polyrail perf: measurement")));
}

[[noreturn]] void beOtherEnd(int socket, const PerfOptions& o) {
  signal(SIGINT, SIG_IGN);  // a terminal sends it to both; the end that measures says when it is over
  if (!o.peerHca.empty()) setenv("NCCL_IB_HCA", o.peerHca.c_str(), 1);
  bool good = false;
  {
    Control control(socket);
    // What is wrong is told to the end that prints.
    const Result<PerfPlan> plan = greet(control);
    good = plan.ok() && serve(control, plan.value(), o.end).ok();
  }
  _exit(good ? kExitOk : kExitFailure);
}

// Neither process has loaded the plugin when they part: verbs do not survive a fork.
int bothEnds(const PerfOptions& o) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    return showError(o, std::string("socketpair: ") + std::strerror(errno));
  const pid_t child = fork();
  if (child < 0) return showError(o, std::string("fork: ") + std::strerror(errno));
  if (child == 0) {
    ::close(sockets[0]);
    beOtherEnd(sockets[1], o);
  }
  ::close(sockets[1]);
  int own = 0, status = 0;
  {
    Control control(sockets[0]);
    own = measured(control, o);
  }
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    return fail("perf", fmt::format("the other end died of signal {}", WTERMSIG(status)), kExitFailure);
  return own != kExitOk ? own : WEXITSTATUS(status);
}

int asClient(const PerfOptions& o) {
  Result<Control> control = Control::dial(o.host, o.port);
  if (!control.ok()) return showError(o, control.message());
  return measured(control.value(), o);
}

Status checkUse(const PerfOptions& o, const CLI::App& verb) {
  if (o.local && !o.host.empty()) return Status::error("--local has no HOST: both ends are here");
  if (!o.host.empty() && o.port == 0) return Status::error("--port 0: say the port that the other end waits on");
  if (o.local || !o.host.empty()) return {};
  for (const CLI::Option* option : verb.get_options())
    if (option->get_group() == kForMeasuring && option->count() > 0)
      return Status::error(option->get_name() + " is for the end that is given a HOST, or for --local");
  return {};
}

int perf(PerfOptions& o, const CLI::App& verb) {
  if (const Status s = checkUse(o, verb); !s.ok()) return fail("perf", s.message(), kExitUsage);
  if (!o.local && o.host.empty()) return waitForClient(o);
  if (const Status s = finishPlan(o); !s.ok()) return fail("perf", s.message(), kExitUsage);
  return o.local ? bothEnds(o) : asClient(o);
}

void addMeasurement(CLI::App& verb, PerfOptions& o) {
  verb.option_defaults()->group(kForMeasuring);
  verb.add_option("--sizes", o.sizes, "bytes of a message, as 8,64K,1M-64M; a range doubles")
      ->capture_default_str()
      ->type_name("LIST");
  o.plan.rails = {"all"};
  o.plan.inFlight = {8};  // NCCL_STEPS
  verb.add_option("--rails", o.plan.rails,
                  "sets of rails to measure one after the other: a number (the first so many), names joined by + as "
                  "mlx5_0+mlx5_1 (or numbers from 0, as #0+#1), or all")
      ->delimiter(',')
      ->capture_default_str()
      ->type_name("LIST");
  verb.add_option("--in-flight", o.plan.inFlight, "messages under way at once; NCCL has up to 8 a channel")
      ->delimiter(',')
      ->capture_default_str()
      ->type_name("LIST");
  verb.add_option("--messages", o.plan.messages, "messages of each measurement of bandwidth, in place of a time")
      ->type_name("N");
  verb.add_option("--seconds", o.plan.seconds, "how long each measurement of bandwidth sends")
      ->capture_default_str()
      ->type_name("S");
  verb.add_option("--pings", o.plan.pings, "round trips of each measurement of latency (sizes up to 64 KiB)")
      ->capture_default_str()
      ->type_name("N");
  auto* bandwidth = verb.add_flag("--bandwidth", o.bandwidthOnly, "measure bandwidth only");
  verb.add_flag("--latency", o.latencyOnly, "measure latency only")->excludes(bandwidth);
  verb.add_flag(
      "--verify-every", o.verifyEvery,
      "compare every byte of every message, also while time is taken; without it a pass before does, and the "
      "timed one compares a number in each message and all of the last ones");
}

void addEnds(CLI::App& verb, PerfOptions& o) {
  verb.add_option("HOST", o.host, "where the other end waits; without it this end waits")->type_name("HOST");
  auto* local = verb.add_flag("--local", o.local, "run both ends here, as two processes");
  verb.add_option("--peer-hca", o.peerHca, "with --local: NCCL_IB_HCA of the end that receives")
      ->needs(local)
      ->type_name("LIST");
  verb.add_option("--port", o.port, "TCP port for the agreement; 0 takes a free one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str()
      ->type_name("N");
  verb.add_option("--plugin", o.end.plugin, "the plugin's file, as dlopen finds it")
      ->capture_default_str()
      ->type_name("FILE");
  verb.add_flag("--cuda", o.plan.gpu, "GPU memory at both ends, by DMA-BUF or peermem")->group(kForMeasuring);
  verb.add_option("--gpu", o.end.gpu, "number of this end's GPU")->capture_default_str()->type_name("N");
  verb.add_option("--patience", o.plan.patience, "seconds in which nothing moves that end a run")
      ->group(kForMeasuring)
      ->capture_default_str()
      ->type_name("S");
  verb.add_option("--fault", o.end.faults, "fault script to play on emulated verbs; compares every byte")
      ->type_name("FILE");
  verb.add_flag("--log", o.end.log, "show all that the plugin says");
  verb.add_flag("--json", o.json, "print JSON")->group(kForMeasuring);
}

}  // namespace

void attachPerf(CLI::App& verb, int& exitCode) {
  auto options = std::make_shared<PerfOptions>();
  addEnds(verb, *options);
  addMeasurement(verb, *options);
  verb.footer(
      "Calls the plugin's newest table (v12) as NCCL does: host A runs `polyrail perf`, host B `polyrail perf A`; B\n"
      "sends, says what is measured and prints. The environment of each end decides as in a job (NCCL_IB_HCA, ...).\n"
      "Rates are of payload, from the first send to the last completion; latency is half a round trip.\n"
      "Interrupted (SIGINT, SIGTERM), B ends the measurement under way, checks it and prints; twice, it dies.\n"
      "Exit status: 0 all data right, 1 wrong data, 2 wrong usage, 4 no result.");
  verb.callback([options, &exitCode, &verb] { exitCode = perf(*options, verb); });
}

}  // namespace polyrail::cli
