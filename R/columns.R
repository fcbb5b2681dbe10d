# The columns of a table as they came: text as it stands, numbers or what is none.

# fread() would rename empty and repeated names, and may take another line for the header.
read_header <- function(path) {
  bytes <- readBin(path, "raw", 2^20)
  if (identical(bytes[1:3], as.raw(c(0xef, 0xbb, 0xbf)))) bytes <- bytes[-(1:3)]
  text <- rawToChar(bytes)
  record <- regmatches(
    text, regexpr("(?:[^\"\r\n]++|\"[^\"]*+\")*+", text, perl = TRUE, useBytes = TRUE)
  )
  Encoding(record) <- "UTF-8"
  # A last field that is empty would be lost, so one more is put behind it.
  fields <- scan(
    text = paste0(record, ",end"), what = "", sep = ",", quote = "\"", quiet = TRUE,
    na.strings = character(), comment.char = "", encoding = "UTF-8"
  )
  enc2utf8(utils::head(fields, -1))
}

select_columns <- function(header, select) {
  if (is.null(select)) {
    return(seq_along(header))
  }
  unknown <- setdiff(select, header)
  if (length(unknown) > 0) {
    refuse_argument(
      "`select` must name columns of the file.",
      paste("There is no", list_names("column", unknown)),
      paste("The file has", list_names("column", header))
    )
  }
  which(header %in% c(select, label_column) | startsWith(header, probability_prefix))
}

read_columns <- function(path, header, selected) {
  is_number <- startsWith(header, probability_prefix) | header == "weight"
  columns <- fread_columns(path, header, selected, text = selected[!is_number[selected]])
  # What fread() did not take for plain numbers is read again as the text it is.
  unclear <- selected[!vapply(columns, function(x) is.character(x) || is_plain_number(x), NA)]
  if (length(unclear) > 0) {
    columns[match(unclear, selected)] <- fread_columns(path, header, unclear, text = unclear)
  }
  stats::setNames(columns, header[selected])
}

is_plain_number <- function(x) is.numeric(x) && !is.object(x)

fread_columns <- function(path, header, selected, text) {
  doubt <- NULL
  columns <- withCallingHandlers(
    tryCatch(
      data.table::fread(
        file = path, sep = ",", header = TRUE, skip = 0L, quote = "\"", encoding = "UTF-8",
        select = selected, colClasses = list(character = text), na.strings = NULL,
        integer64 = "double", strip.white = FALSE, blank.lines.skip = FALSE, check.names = FALSE,
        showProgress = FALSE, data.table = FALSE
      ),
      error = function(e) {
        doubt <<- c(doubt, conditionMessage(e))
        list()
      }
    ),
    warning = function(w) {
      doubt <<- c(doubt, conditionMessage(w))
      tryInvokeRestart("muffleWarning")
    }
  )
  if (!is.null(doubt) || !identical(unescaped(names(columns)), header[selected])) {
    check_truncated(ragged_rows(path, length(header)), length(header), doubt[1])
  }
  lapply(columns, function(x) if (is.character(x)) unescaped(x) else x)
}

unescaped <- function(text) gsub("\"\"", "\"", enc2utf8(text), fixed = TRUE)

# The slow way, taken only where something is wrong already.
ragged_rows <- function(path, fields) {
  counts <- utils::count.fields(
    path, sep = ",", quote = "\"", comment.char = "", blank.lines.skip = FALSE
  )
  records <- counts[!is.na(counts)]
  which(records[-1] != fields)
}

plain_columns <- function(data) {
  columns <- as.list(data)
  attributes(columns) <- list(names = as.character(names(data)))
  check_text(columns)
  columns <- lapply(columns, function(x) if (is.character(x)) enc2utf8(x) else x)
  names(columns) <- enc2utf8(names(columns))
  odd <- !vapply(columns, function(x) is.atomic(x) && is.null(dim(x)), NA)
  odd <- odd | vapply(columns, inherits, NA, what = "integer64")
  if (any(odd)) {
    refuse_argument(
      "Every column must be a plain vector or a factor.",
      paste("Not so:", list_names("column", names(columns)[odd])),
      "Convert it with as.character(), or drop it."
    )
  }
  columns
}

text_of <- function(x) {
  if (is.double(x) && !is.object(x)) {
    return(ifelse(is.na(x), NA_character_, exact_text(x)))
  }
  enc2utf8(as.character(x))
}

number_pattern <- "^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"
special_pattern <- "^(nan|[+-]?inf(inity)?)$"

# list(value, bad, text): a missing value is NA in `value` and is not bad.
parse_numbers <- function(x) {
  if (is_plain_number(x)) {
    return(list(value = as.double(x), bad = rep(FALSE, length(x)), text = x))
  }
  text <- text_of(x)
  trimmed <- trimws(text)
  is_number <- grepl(number_pattern, trimmed) | grepl(special_pattern, tolower(trimmed))
  value <- rep(NA_real_, length(text))
  value[is_number] <- as.double(trimmed[is_number])
  list(value = value, bad = !is_number & !is_missing(text), text = text)
}
