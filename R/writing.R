# Files that are written whole or not at all, and text that reads back equal.

# The shortest text that reads back as the same double.
exact_text <- function(x) {
  text <- sprintf("%.15g", x)
  unsure <- which(is.finite(x))
  for (digits in c("%.16g", "%.17g")) {
    unsure <- unsure[nearest_double(text[unsure]) != x[unsure]]
    if (length(unsure) == 0) break
    text[unsure] <- sprintf(digits, x[unsure])
  }
  text
}

# as.double() is now and then one unit in the last place off, fromJSON() is not.
nearest_double <- function(text) {
  as.double(jsonlite::fromJSON(paste0("[", paste(text, collapse = ","), "]")))
}

csv_field <- function(x) {
  text <- enc2utf8(as.character(x))
  text[is.na(text)] <- ""
  quote <- grepl("[\",\r\n]", text)
  text[quote] <- paste0("\"", gsub("\"", "\"\"", text[quote], fixed = TRUE), "\"")
  text
}

as_json <- function(x, ...) {
  jsonlite::toJSON(x, auto_unbox = TRUE, null = "null", na = "null", json_verbatim = TRUE, ...)
}

one_path <- function(path) {
  if (!is_text(path)) refuse_argument("`path` must be the path of one file, as text.")
  path.expand(path)
}

one_of <- function(value, choices, name) {
  if (identical(value, choices)) {
    return(choices[[1]])
  }
  if (!is_text(value) || !value %in% choices) {
    allowed <- paste0("\"", choices, "\"", collapse = ", ")
    refuse_argument(paste0("`", name, "` must be one of ", allowed, "."))
  }
  value
}

# Nothing that is no prediction table is overwritten.
check_target <- function(path) {
  if (!endsWith(path, ".csv")) {
    refuse_argument(
      "A prediction table is written to a file '*.csv', its sidecar beside it to '*.json'.",
      paste0("'", path, "'"), "End the name in .csv."
    )
  }
  if (!dir.exists(dirname(path))) {
    refuse_argument(
      "A file must be written to a folder that exists.",
      paste0("There is no folder '", dirname(path), "'."), "Create it, or correct the path."
    )
  }
  beside <- sidecar_path(path)
  if (file.exists(beside) && !identical(read_json_object(beside)$format, sidecar_format)) {
    refuse_argument(
      "The file beside the table must be its sidecar, or not be there.",
      paste0("'", beside, "' is something else."), "Write the table under another name."
    )
  }
}

write_temporary <- function(lines, path) {
  temporary <- tempfile(paste0(".", basename(path), "-"), dirname(path))
  tryCatch(
    {
      connection <- file(temporary, "wb")
      on.exit(close(connection))
      writeLines(enc2utf8(lines), connection, useBytes = TRUE)
    },
    error = function(e) cannot_write(path, temporary, conditionMessage(e)),
    warning = function(w) cannot_write(path, temporary, conditionMessage(w))
  )
  temporary
}

cannot_write <- function(path, temporary, found) {
  unlink(temporary)
  refuse_argument(
    paste0("The file '", path, "' must be writable."), found, "Make room, or write elsewhere."
  )
}

replace_file <- function(from, to) {
  if (!suppressWarnings(file.rename(from, to))) cannot_write(to, from, "It cannot be replaced.")
}
