// SPDX-License-Identifier: GPL-2.0-only
#include "codec/row_layout_change.h"

#include <utility>

#include "codec/row_step.h"
#include "codec/row_value.h"

namespace basalt::codec {

namespace {

constexpr uint16_t kNoSlot = 0xffff;

// A layout in the making.
class LayoutChange {
 public:
  explicit LayoutChange(const TableDescriptor& before)
      : before_(before),
        layout_(before.row_layout != nullptr ? *before.row_layout : MakeRowLayout(before)),
        slot_of_(before.columns.size(), kNoSlot) {
    const std::vector<uint32_t> columns = RowColumns(before);
    for (size_t i = 0; i < columns.size(); ++i) slot_of_[columns[i]] = layout_.columns[i];
    layout_.columns.clear();
  }

  bool Take(const Column& column, const ColumnOrigin& origin) {
    return origin.column.has_value() ? TakeKept(column, *origin.column) : TakeNew(column, origin);
  }

  // A row that has been cut to its base looks like that of a table without a layout.
  bool IsPlain() const {
    if (!layout_.added.empty() || layout_.columns.size() != layout_.base.size()) return false;
    for (size_t i = 0; i < layout_.columns.size(); ++i) {
      if (layout_.columns[i] != i) return false;
    }
    return true;
  }
  RowLayout& layout() { return layout_; }

 private:
  bool TakeNew(const Column& column, const ColumnOrigin& origin) {
    if (origin.is_null && !column.nullable) return false;
    AddedSlot added{SlotOf(column), {}, origin.is_null, origin.is_null ? "" : origin.value};
    return Add(std::move(added));
  }

  bool TakeKept(const Column& column, uint32_t position) {
    if (position >= slot_of_.size() || slot_of_[position] == kNoSlot) return false;
    const Column& old = before_.columns[position];
    if (old.nullable && !column.nullable) return false;
    const uint16_t slot = std::exchange(slot_of_[position], kNoSlot);
    const RowSlot& value = layout_.slot(layout_.ValueSlot(slot));
    const RowSlot wanted = SlotOf(column);
    if (value.form != wanted.form || value.width != wanted.width) {
      return CanWiden(value, wanted) && Add({wanted, slot, false, ""});
    }
    const bool in_base = slot < layout_.base.size();
    if (column.nullable && in_base && !layout_.base[slot].nullable) {
      return Add({{SlotForm::kNull, false, 0}, slot, false, ""});
    }
    layout_.columns.push_back(slot);
    return true;
  }

  // The column's slot from now on.
  bool Add(AddedSlot added) {
    if (layout_.added.size() >= RowLayout::kMostAdded) return false;
    added.slot.nullable = false;
    layout_.columns.push_back(static_cast<uint16_t>(layout_.slots()));
    layout_.added.push_back(std::move(added));
    return true;
  }

  const TableDescriptor& before_;
  RowLayout layout_;
  std::vector<uint16_t> slot_of_;  // of each old column; kNoSlot: none, or taken
};

}  // namespace

ColumnOrigin NewColumn(const Column& column, const uint8_t* record) {
  ColumnOrigin origin;
  origin.is_null = column.IsNull(record);
  if (!origin.is_null) AppendColumn(MakeRowStep(column, 0), record, &origin.value);
  return origin;
}

bool ChangeRowLayout(const TableDescriptor& before, const TableDescriptor& after,
                     const std::vector<ColumnOrigin>& origins,
                     std::shared_ptr<const RowLayout>* layout) {
  if (origins.size() != after.columns.size()) return false;
  LayoutChange change(before);
  for (const uint32_t column : RowColumns(after)) {
    if (!change.Take(after.columns[column], origins[column])) return false;
  }
  if (!Validate(change.layout()).ok()) return false;
  *layout =
      change.IsPlain() ? nullptr : std::make_shared<const RowLayout>(std::move(change.layout()));
  return true;
}

}  // namespace basalt::codec
