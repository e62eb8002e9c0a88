// SPDX-License-Identifier: Apache-2.0
// Bar: the channel rule gives the channel counts that were measured on 4 nodes of H200 (NCCL 2.30.4), in every point
// of the report in the shared data: 21 sizes x 7 columns x 2 communicators.
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "tuner/channels.h"

namespace {

using namespace polyrail::nccl;

constexpr char kFile[] = "h200_p5en_4n_measured_channels.md";
constexpr int kPoints = 294;

std::ifstream openReport(const char* folder) {
  std::ifstream nested(std::string(folder) + "/nccl-tests/" + kFile);
  return nested ? std::move(nested) : std::ifstream(std::string(folder) + "/" + kFile);
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> found;
  for (size_t at = line.find('|'); at != std::string::npos;) {
    const size_t end = line.find('|', at + 1);
    if (end == std::string::npos) break;
    std::string text = line.substr(at + 1, end - at - 1);
    text.erase(0, text.find_first_not_of(' '));
    text.erase(text.find_last_not_of(' ') + 1);
    found.push_back(text);
    at = end;
  }
  return found;
}

int number(const std::string& text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// "64 K"
uint64_t bytesOf(const std::string& text) {
  const char unit = text.back();
  const int shift = unit == 'K' ? 10 : unit == 'M' ? 20 : 30;
  return static_cast<uint64_t>(number(text)) << shift;
}

struct Score {
  int right = 0, points = 0;
  std::string firstWrong;
};

// `choice` is "Ring-LL128" or "Ring/LL128".
void judge(ChannelQuestion q, const std::string& choice, int measured, Score& score) {
  const size_t cut = choice.find_first_of("-/");
  const auto algorithm = parseAlgorithm(choice.substr(0, cut));
  const auto protocol = parseProtocol(choice.substr(cut + 1));
  if (!algorithm || !protocol) return;
  q.algorithm = *algorithm;
  q.protocol = *protocol;
  const int running = planChannels(q).running;
  score.points++;
  if (running == measured) {
    score.right++;
  } else if (score.firstWrong.empty()) {
    score.firstWrong = choice + " at " + std::to_string(q.totalBytes) + " bytes on " + std::to_string(q.ranks) +
                       " ranks: " + std::to_string(running) + ", measured " + std::to_string(measured);
  }
}

void judgeRow(const std::vector<std::string>& head, const std::vector<std::string>& row, ChannelQuestion q,
              Score& score) {
  q.totalBytes = bytesOf(row[0]);
  for (size_t i = 1; i <= 6; i++) judge(q, head[i], number(row[i]), score);
  judge(q, row[8], number(row[7]), score);
}

// Header of a section: "### mask 0x0 (N = 16, nRanks = 32)".
bool section(const std::string& line, ChannelQuestion& q) {
  const size_t pool = line.find("(N = "), ranks = line.find("nRanks = ");
  if (line.rfind("### mask", 0) != 0 || pool == std::string::npos || ranks == std::string::npos) return false;
  q.pool = number(line.substr(pool + 5));
  q.ranks = number(line.substr(ranks + 9));
  q.nodes = 4;
  q.version = 23004;
  return true;
}

Score judgeReport(std::istream& report) {
  Score score;
  ChannelQuestion q;
  std::vector<std::string> head;
  bool inside = false;
  for (std::string line; std::getline(report, line);) {
    if (line.rfind("#", 0) == 0) inside = section(line, q);
    const std::vector<std::string> row = cells(line);
    if (!inside || row.size() != 9) continue;
    if (row[0] == "size") head = row;
    if (!row[0].empty() && row[0][0] >= '0' && row[0][0] <= '9') judgeRow(head, row, q, score);
  }
  return score;
}

}  // namespace

int main() {
  const char* folder = std::getenv("DATA");
  if (folder == nullptr || *folder == '\0') {
    std::printf("BAR channel-rule - %d/%d skipped needs DATA=DIR\n", kPoints, kPoints);
    return 0;
  }
  std::ifstream report = openReport(folder);
  if (!report) {
    std::printf("BAR channel-rule - %d/%d skipped %s is not in DATA\n", kPoints, kPoints, kFile);
    return 0;
  }
  const Score score = judgeReport(report);
  const bool holds = score.right == kPoints && score.points == kPoints;
  std::printf("BAR channel-rule %d/%d %d/%d %s %s\n", score.right, score.points, kPoints, kPoints,
              holds ? "holds" : "falls-short", score.firstWrong.c_str());
  return 0;
}
