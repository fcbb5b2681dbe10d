# The sidecar of a table: what its columns cannot say.

sidecar_path <- function(path) paste0(sub("\\.[^./\\\\]*$", "", path), ".json")

sidecar_format <- "pyside-predictions"
sidecar_version <- 1

is_text <- function(x) is.character(x) && length(x) == 1 && !is.na(x)
is_number <- function(x) is.numeric(x) && length(x) == 1 && is.finite(x)
is_count <- function(x) is_number(x) && x >= 0 && x == trunc(x)
is_texts <- function(x) is.list(x) && length(x) > 0 && all(vapply(x, is_text, NA))

# What each field of a sidecar must be: `own` ones say what the file is, whatever its version,
# `needed` ones must be there as well, `open` ones may be null.
sidecar_fields <- list(
  own = list(
    format = list(is_text, "a text"),
    format_version = list(is_count, "a whole number")
  ),
  needed = list(
    classes = list(is_texts, "a list of texts"),
    rows = list(is_count, "a whole number"),
    sha256 = list(is_text, "a text")
  ),
  open = list(
    positive = list(is_text, "a text or null"),
    threshold = list(is_number, "a number or null")
  )
)

check_sidecar <- function(path, csv_sha256) {
  name <- basename(path)
  sidecar <- read_json_object(path)
  if (is.null(sidecar)) invalid_sidecar(name, paste0("'", name, "' does not hold a JSON object."))
  check_needed_fields(sidecar, name, sidecar_fields$own)
  if (sidecar$format != sidecar_format) {
    invalid_field(name, "format", paste0("is '", sidecar$format, "', not '", sidecar_format, "'"))
  }
  if (sidecar$format_version != sidecar_version) {
    refuse(
      "sidecar_version", paste0("The sidecar must be of format version ", sidecar_version, "."),
      paste0("'", name, "' is of version ", format_count(sidecar$format_version), "."),
      "Update rside, or export the predictions with a version that writes this format."
    )
  }
  check_needed_fields(sidecar, name, sidecar_fields$needed)
  check_open_fields(sidecar, name, sidecar_fields$open)
  if (tolower(sidecar$sha256) != csv_sha256) {
    refuse(
      "sidecar_digest", "The sidecar must have been written with this CSV.",
      paste0(
        "The SHA-256 of the CSV is ", csv_sha256, "; '", name, "' states ", sidecar$sha256, "."
      ),
      "The CSV was changed after its export: export it again, or delete the sidecar."
    )
  }
  sidecar$classes <- unlist(sidecar$classes)
  sidecar
}

invalid_sidecar <- function(name, found) {
  refuse(
    "sidecar_invalid", "The sidecar must be a JSON object with the fields of the contract.",
    found, paste0("Export the predictions again, or delete '", name, "' to go without a sidecar.")
  )
}

# NULL where the file does not hold a JSON object.
read_json_object <- function(path) {
  object <- tryCatch(
    {
      text <- rawToChar(readBin(path, "raw", file.size(path)))
      Encoding(text) <- "UTF-8"
      jsonlite::parse_json(text)
    },
    error = function(e) NULL
  )
  if (is.list(object) && !is.null(names(object))) object
}

check_needed_fields <- function(sidecar, name, rules) {
  for (field in names(rules)) {
    if (!field %in% names(sidecar)) invalid_field(name, field, "is missing")
    check_field(sidecar, name, field, rules[[field]])
  }
}

check_open_fields <- function(sidecar, name, rules) {
  for (field in intersect(names(rules), names(Filter(Negate(is.null), sidecar)))) {
    check_field(sidecar, name, field, rules[[field]])
  }
}

check_field <- function(sidecar, name, field, rule) {
  if (!rule[[1]](sidecar[[field]])) invalid_field(name, field, paste("must be", rule[[2]]))
}

invalid_field <- function(name, field, problem) {
  invalid_sidecar(name, paste0("The field '", field, "' of '", name, "' ", problem, "."))
}
