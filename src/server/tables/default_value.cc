// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/default_value.h"

namespace basalt::server {

namespace {

// What the server computes anew for each row, though it is the same all through a statement.
constexpr uint kSameInStatement = VCOL_SESSION_FUNC | VCOL_TIME_FUNC;

// While it lives, no error or warning is heard, but that there was one is known.
class Objections final : public Internal_error_handler {
 public:
  explicit Objections(THD* thd) : thd_(thd) { thd_->push_internal_handler(this); }
  ~Objections() override { thd_->pop_internal_handler(); }
  bool handle_condition(THD*, uint, const char*, Sql_condition::enum_warning_level* level,
                        const char*, Sql_condition**) override {
    any_ = any_ || *level != Sql_condition::WARN_LEVEL_NOTE;
    return true;
  }
  bool any() const { return any_; }

 private:
  THD* const thd_;
  bool any_ = false;
};

// Evaluates something over the first record image. False when it is, or a copy would complain.
template <class Evaluate>
[[nodiscard]] bool Succeeds(const TABLE& altered, const Evaluate& evaluate) {
  THD* thd = altered.in_use;
  const Objections objections(thd);
  const Check_level_instant_set level(thd, CHECK_FIELD_WARN);
  Query_arena backup;
  thd->set_n_backup_active_arena(altered.expr_arena, &backup);
  const bool succeeds = evaluate();
  thd->restore_active_arena(altered.expr_arena, &backup);
  return succeeds && !objections.any();
}

}  // namespace

bool IsComputedForEachRow(const Field& field) {
  return field.default_value != nullptr &&
         (field.default_value->flags != 0 || (field.flags & BLOB_FLAG) != 0);
}

Status FindDefaultValue(const TABLE& altered, uint position, const uint8_t** record) {
  Field* field = altered.field[position];
  *record = altered.s->default_values;
  if (!IsComputedForEachRow(*field)) return Status::Ok();
  const Virtual_column_info& value = *field->default_value;
  if ((value.flags & VCOL_FIELD_REF) != 0 || !IsSameInStatement(value)) {
    return Status(Code::kNotSupported, "a new column whose default differs from row to row");
  }
  if (!Succeeds(altered, [&] { return value.expr->save_in_field(field, false) >= 0; })) {
    return Status(Code::kNotSupported, "a new column whose default is no valid value");
  }
  *record = altered.record[0];
  return Status::Ok();
}

// The flags of RAND() say no more than that it is a session's.
bool IsSameInStatement(const Virtual_column_info& expression) {
  return (expression.flags & ~(kSameInStatement | VCOL_FIELD_REF)) == 0 &&
         (expression.expr->used_tables() & RAND_TABLE_BIT) == 0;
}

bool IsTrueOrNull(const TABLE& altered, const Virtual_column_info& constraint) {
  return Succeeds(altered, [&constraint] {
    return constraint.expr->val_bool() || constraint.expr->null_value;
  });
}

}  // namespace basalt::server
