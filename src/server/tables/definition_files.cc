// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/definition_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "server/tables/definition_names.h"

namespace basalt::server {

namespace {

// Until it has its name; the server takes a file that ends like this for no table.
constexpr char kUnfinished[] = ".basalt-new";

Status SystemError(const std::string& file, int error) {
  return Status(error == ENOSPC ? Code::kNoSpace : Code::kIoError,
                file + ": " + std::generic_category().message(error));
}

Status ReadWholeFile(const std::string& file, std::string* contents) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    return errno == ENOENT ? Status(Code::kNotFound, "there is no " + file)
                           : SystemError(file, errno);
  }
  contents->assign(std::istreambuf_iterator<char>(stream), {});
  return stream.bad() ? SystemError(file, EIO) : Status::Ok();
}

Status WriteAll(int descriptor, const std::string& file, Bytes contents) {
  while (!contents.empty()) {
    const ssize_t written = ::write(descriptor, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemError(file, errno);
    contents.remove_prefix(static_cast<size_t>(written));
  }
  return ::fsync(descriptor) == 0 ? Status::Ok() : SystemError(file, errno);
}

Status WriteWholeFile(const std::string& file, Bytes contents) {
  const std::string unfinished = file + kUnfinished;
  const int descriptor = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                                S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP);
  if (descriptor < 0) return SystemError(unfinished, errno);
  Status status = WriteAll(descriptor, unfinished, contents);
  ::close(descriptor);
  if (status.ok() && ::rename(unfinished.c_str(), file.c_str()) != 0) {
    status = SystemError(file, errno);
  }
  if (!status.ok()) ::unlink(unfinished.c_str());
  return status;
}

std::string FolderOf(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

Status SyncFolderOf(const std::string& path) { return SyncFile(FolderOf(path)); }

Status RemoveFile(const std::string& file) {
  return ::unlink(file.c_str()) == 0 || errno == ENOENT ? Status::Ok() : SystemError(file, errno);
}

}  // namespace

Status SyncFile(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT) return Status(Code::kNotFound, "there is no " + path);
  if (descriptor < 0) return SystemError(path, errno);
  Status status = ::fsync(descriptor) == 0 ? Status::Ok() : SystemError(path, errno);
  ::close(descriptor);
  return status;
}

Status DefinitionFromFrm(Bytes frm, catalog::TableDefinition* definition) {
  FrmHeader header;
  if (!ReadFrmHeader(frm, &header)) {
    return Status(Code::kInvalidArgument, "the definition of the table cannot be read");
  }
  definition->identity = header.identity;
  definition->frm = frm;
  definition->par.clear();
  return Status::Ok();
}

Status ReadDefinitionFiles(const std::string& path, catalog::TableDefinition* definition,
                           FrmHeader* header) {
  BASALT_RETURN_IF_ERROR(ReadWholeFile(path + kFrmExtension, &definition->frm));
  FrmHeader read;
  if (!ReadFrmHeader(definition->frm, &read)) {
    return Status(Code::kInvalidArgument, path + kFrmExtension + " is no definition of a table");
  }
  definition->identity = read.identity;
  definition->par.clear();
  const bool partitioned = read.partitioned;
  if (header != nullptr) *header = std::move(read);
  if (!partitioned) return Status::Ok();
  Status status = ReadWholeFile(path + kParExtension, &definition->par);
  return status.code() == Code::kNotFound ? Status::Ok() : std::move(status);
}

Status WriteDefinitionFiles(const std::string& path, const catalog::TableDefinition& definition) {
  // Without its .par file a partitioned table could not be opened: it comes first.
  if (!definition.par.empty()) {
    BASALT_RETURN_IF_ERROR(WriteWholeFile(path + kParExtension, definition.par));
  }
  BASALT_RETURN_IF_ERROR(WriteWholeFile(path + kFrmExtension, definition.frm));
  if (definition.par.empty()) BASALT_RETURN_IF_ERROR(RemoveFile(path + kParExtension));
  return SyncFolderOf(path);
}

Status SyncDefinitionFiles(const std::set<std::string>& paths) {
  Status first;
  const auto note = [&first](Status status) {
    if (first.ok() && status.code() != Code::kNotFound) first = std::move(status);
  };
  std::set<std::string> folders;
  for (const std::string& path : paths) {
    note(SyncFile(path + kParExtension));
    folders.insert(FolderOf(path));
  }
  for (const std::string& folder : folders) {
    Status status = SyncFile(folder);
    if (status.code() == Code::kNotFound) status = SyncFolderOf(folder);  // DROP DATABASE
    note(std::move(status));
  }
  return first;
}

Status RemoveDefinitionFiles(const std::string& path) {
  BASALT_RETURN_IF_ERROR(RemoveFile(path + kFrmExtension));
  return RemoveFile(path + kParExtension);
}

size_t PartitionsIn(Bytes par) {
  constexpr size_t kNumberAt = 8;  // little-endian, after length and checksum
  if (par.size() < kNumberAt + 4) return 0;
  size_t number = 0;
  for (size_t i = 4; i-- > 0;) number = number << 8 | static_cast<uint8_t>(par[kNumberAt + i]);
  return number;
}

bool AllPartitionsAreOf(Bytes par, uint8_t engine) {
  constexpr size_t kEnginesAt = 12;  // a byte for each partition
  const size_t number = PartitionsIn(par);
  if (number == 0 || par.size() < kEnginesAt || par.size() - kEnginesAt < number) return false;
  return par.substr(kEnginesAt, number) == std::string(number, static_cast<char>(engine));
}

bool IsUnfinishedFile(const std::string& file) {
  return std::string_view(file).ends_with(kUnfinished);
}

bool HasParFile(const std::string& path) {
  return ::access((path + kParExtension).c_str(), F_OK) == 0;
}

std::string ReadParFile(const std::string& path) {
  std::string par;
  return ReadWholeFile(path + kParExtension, &par).ok() ? par : std::string();
}

int64_t TimeOfFrmFile(const std::string& path) {
  struct stat file = {};
  return ::stat((path + kFrmExtension).c_str(), &file) == 0 ? file.st_mtime : 0;
}

bool HasFrmFile(const std::string& path) {
  return ::access((path + kFrmExtension).c_str(), F_OK) == 0;
}

}  // namespace basalt::server
