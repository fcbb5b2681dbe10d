# One function per check of the contract, in the order of ARCHITECTURE.md.
# Each returns what it has read or settled, or refuses.

label_column <- "true_label"
probability_prefix <- "pred_prob_"

# --- the file -----------------------------------------------------------------

check_file <- function(path) {
  if (!file.exists(path) || dir.exists(path)) {
    refuse(
      "file_missing", "The prediction table must be a file that exists.",
      paste0("There is no file '", path, "'."), "Check the path."
    )
  }
  if (file.access(path, 4) != 0) {
    refuse(
      "file_missing", "The prediction table must be a file that can be read.",
      paste0("There is no permission to read '", path, "'."), "Change its permissions."
    )
  }
  if (file.size(path) == 0) {
    refuse(
      "file_empty", "The prediction table must hold a header and rows.",
      paste0("The file '", path, "' is empty."), "Export the predictions again."
    )
  }
}

check_encoding <- function(path) {
  connection <- file(path, "rb")
  on.exit(close(connection))
  rest <- raw()
  repeat {
    chunk <- readBin(connection, "raw", 2^24)
    block <- c(rest, chunk)
    if (length(block) == 0) break
    whole <- if (length(chunk) == 0) length(block) else whole_characters(block)
    if (!is_utf8(block[seq_len(whole)])) refuse_encoding(path)
    rest <- block[seq.int(whole + 1, length.out = length(block) - whole)]
  }
}

# How many bytes come before the last character, which may go on in the next chunk.
whole_characters <- function(block) {
  last <- utils::tail(block, 4)
  starts <- which(bitwAnd(as.integer(last), 0xC0L) != 0x80L)
  if (length(starts) == 0) length(block) else length(block) - length(last) + max(starts) - 1
}

# rawToChar() refuses a NUL inside and drops one at the end.
is_utf8 <- function(bytes) {
  text <- tryCatch(rawToChar(bytes), error = function(e) NULL)
  !is.null(text) && nchar(text, "bytes") == length(bytes) && validUTF8(text)
}

# The slow way, taken only where something is wrong already.
refuse_encoding <- function(path) {
  bytes <- readBin(path, "raw", file.size(path))
  nul <- match(as.raw(0L), bytes)
  line <- if (is.na(nul)) {
    match(FALSE, validUTF8(strsplit(rawToChar(bytes), "\n", fixed = TRUE, useBytes = TRUE)[[1]]))
  } else {
    sum(bytes[seq_len(nul)] == as.raw(10L)) + 1
  }
  refuse(
    "encoding", "The file must be UTF-8 text without NUL bytes.",
    paste0(
      "Line ", format_count(line), " of the file ",
      if (is.na(nul)) "is not UTF-8." else "holds a NUL byte."
    ),
    "Save the file as UTF-8; one that was written as UTF-16 holds NUL bytes."
  )
}

# By the encoding that R has marked each text with: latin1 so marked is converted.
check_text <- function(columns) {
  text <- Filter(is.character, c(list(names(columns)), columns, lapply(columns, levels)))
  for (values in text) {
    if (!all(validEnc(values))) {
      refuse(
        "encoding", "Text must be UTF-8.",
        paste("Element", match(FALSE, validEnc(values)), "of a text column is not UTF-8."),
        "Convert it with iconv(x, from, \"UTF-8\")."
      )
    }
  }
}

# --- the columns --------------------------------------------------------------

check_columns <- function(names) {
  unnamed <- which(is.na(names) | names == "")
  if (length(unnamed) > 0) {
    refuse(
      "unnamed_column", "Every column must have a name.",
      paste("No name for", enumerate("column", unnamed)),
      "Name it, or drop it: row names are written as such a column (pandas: index=False)."
    )
  }
  repeated <- unique(names[duplicated(names)])
  if (length(repeated) > 0) {
    refuse(
      "duplicate_columns", "Every column must have a name of its own.",
      paste("More than once:", list_names("column", repeated)), "Rename or drop the others."
    )
  }
}

check_truncated <- function(rows, fields, detail = NULL) {
  found <- if (length(rows) > 0) paste("Another number of fields in", list_rows(rows)) else detail
  refuse(
    "truncated",
    paste0("Every row must have as many fields as the header (", fields, ")."),
    found,
    "The file was cut short, or a field that holds a comma or a quote is not quoted."
  )
}

check_label_column <- function(names) {
  if (!label_column %in% names) {
    refuse(
      "missing_column",
      paste0("There must be a column '", label_column, "' with the true classes."),
      paste("The table has", list_names("column", names)),
      paste0("Rename the column of true classes to '", label_column, "'.")
    )
  }
}

check_class_columns <- function(names) {
  columns <- names[startsWith(names, probability_prefix)]
  if (length(columns) < 2) {
    refuse(
      "one_class",
      paste0("There must be two or more columns '", probability_prefix, "<class>'."),
      paste("There is", if (length(columns) == 0) "none." else list_names("column", columns)),
      "Export the probability of every class, that of the negative one included."
    )
  }
  substring(columns, nchar(probability_prefix) + 1)
}

check_classes <- function(classes, columns) {
  if (is.null(classes)) classes <- columns
  problems <- c(
    named_problem("stated more than once", unique(classes[duplicated(classes)])),
    named_problem("without a column", setdiff(classes, columns)),
    named_problem("not stated", setdiff(columns, classes)),
    if ("" %in% classes) "a class without a name"
  )
  if (length(problems) > 0) {
    refuse(
      "bad_classes",
      paste0("The classes must be those of the '", probability_prefix, "' columns, each once."),
      paste(problems, collapse = "; "),
      paste("State, in any order,", list_names("class", columns))
    )
  }
  classes
}

named_problem <- function(problem, names) {
  if (length(names) > 0) paste0(list_names("class", names), " ", problem)
}

check_positive <- function(positive, classes) {
  if (is.null(positive)) {
    return(if (length(classes) == 2) classes[[2]])
  }
  if (length(classes) > 2) {
    refuse(
      "bad_positive", "A positive class can be stated for two classes only.",
      paste0("There are ", length(classes), " classes; '", positive, "' is stated as positive."),
      "State no positive class: the report has a one-vs-rest row for every class."
    )
  }
  if (!positive %in% classes) {
    refuse(
      "bad_positive", "The positive class must be one of the classes.",
      paste0("'", positive, "' is not one of the ", list_names("class", classes), "."),
      "State one of them as `positive`."
    )
  }
  positive
}

check_threshold <- function(threshold, classes) {
  if (!is.null(threshold) && (is.na(threshold) || threshold < 0 || threshold > 1)) {
    refuse(
      "bad_threshold", "The threshold must lie in [0, 1].",
      paste0("It is ", format_number(threshold), "."), "State a probability."
    )
  }
  if (length(classes) == 2) {
    return(threshold %||% 0.5)
  }
  if (!is.null(threshold)) {
    refuse(
      "bad_threshold", "A threshold can be stated for two classes only.",
      paste0("The threshold ", format_number(threshold), ", with ", length(classes), " classes."),
      "State none: the class of the greatest probability is predicted."
    )
  }
}

# At 0.5 it is the same rule for both classes, all but the ties.
check_threshold_class <- function(threshold, stated_for, positive) {
  moved <- !is.null(threshold) && !is.null(stated_for) && stated_for != positive
  if (moved && threshold != 0.5) {
    refuse(
      "bad_threshold", "A threshold goes with the positive class that it was stated for.",
      paste0(
        "The table states ", format_number(threshold), " for '", stated_for, "'; '", positive,
        "' was asked for as the positive class."
      ),
      "State `threshold` as well: as_predictions(positive = , threshold = )."
    )
  }
}

# --- the rows -----------------------------------------------------------------

check_row_count <- function(rows, stated) {
  if (rows == 0) {
    refuse(
      "no_rows", "There must be at least one row.", "The table has a header and no rows.",
      "Export the predictions again."
    )
  }
  if (!is.null(stated) && rows != stated) {
    refuse(
      "sidecar_rows", "The table must have as many rows as its sidecar states.",
      paste0("It has ", format_count(rows), "; the sidecar states ", format_count(stated), "."),
      "Export the predictions again."
    )
  }
}

check_kept_rows <- function(keep) {
  if (!any(keep)) {
    refuse(
      "no_rows", "There must be at least one row.",
      paste("A label or a probability is missing in each of", format_count(length(keep)), "rows."),
      "Export the predictions again."
    )
  }
}

check_labels <- function(labels, keep, classes) {
  missing <- which(keep & is_missing(labels))
  if (length(missing) > 0) {
    refuse(
      "missing_label", paste0("Every row must have a '", label_column, "'."),
      paste0("No '", label_column, "' in ", list_rows(missing)), drop_hint
    )
  }
  unknown <- which(keep & !labels %in% classes)
  if (length(unknown) > 0) {
    refuse(
      "unknown_class", paste0("Every '", label_column, "' must be one of the classes."),
      paste0(
        "'", label_column, "' is ", list_values(labels[unknown]), " in ", list_rows(unknown),
        "; the classes are ", shorten_list(quoted(classes))
      ),
      paste0("Correct the label, or export a '", probability_prefix, "' column for the class.")
    )
  }
}

drop_hint <- "Complete the table, or leave such rows out, counted and reported, by na = \"drop\"."

check_probabilities <- function(columns, keep) {
  first_bad <- function(check, bad, must, found, fix) {
    for (name in names(columns)) {
      rows <- which(keep & bad(columns[[name]]))
      if (length(rows) > 0) {
        refuse(check, must, paste0("Column '", name, "' ", found(columns[[name]], rows)), fix)
      }
    }
  }
  first_bad(
    "not_a_number", function(x) x$bad, "Every probability must be a number.",
    function(x, rows) paste("holds", list_values(x$text[rows]), "in", list_rows(rows)),
    "Write numbers with a decimal point, and leave a missing one empty."
  )
  first_bad(
    "missing_value", function(x) is.na(x$value), "No probability may be missing.",
    function(x, rows) paste("has no value in", list_rows(rows)), drop_hint
  )
  first_bad(
    "out_of_range", function(x) x$value < 0 | x$value > 1, "Every probability must lie in [0, 1].",
    function(x, rows) {
      paste("holds", list_numbers(x$value[rows]), "in", list_rows(rows))
    },
    "Export probabilities (after softmax), not logits or percentages."
  )
}

check_row_sums <- function(probabilities, keep, tolerance) {
  sums <- rowSums(probabilities)
  bad <- which(keep & abs(sums - 1) > tolerance)
  if (length(bad) > 0) {
    refuse(
      "row_sum",
      paste0("The probabilities of a row must sum to 1 within ", format_number(tolerance), "."),
      paste("The sum is", list_numbers(sums[bad]), "in", list_rows(bad)),
      "Export every class, in full precision, or state a wider `sum_tolerance`."
    )
  }
}

check_ids <- function(ids, keep) {
  missing <- which(keep & is_missing(ids))
  if (length(missing) > 0) {
    refuse(
      "missing_id", "Every row must have an 'id', where there is that column.",
      paste("No 'id' in", list_rows(missing)), "Complete the column, or drop it."
    )
  }
  repeated <- unique(ids[keep][duplicated(ids[keep])])
  if (length(repeated) > 0) {
    refuse(
      "duplicate_id", "Every 'id' must occur once.",
      paste("'id' is", list_values(repeated), "in", list_rows(which(keep & ids %in% repeated))),
      "Drop the rows that were exported twice, or make the ids distinct."
    )
  }
}

check_decisions <- function(labels, keep, classes) {
  unknown <- which(keep & !labels %in% classes)
  if (length(unknown) > 0) {
    refuse(
      "unknown_pred_label", "Every 'pred_label' must be one of the classes.",
      paste0(
        "'pred_label' is ", list_values(labels[unknown]), " in ", list_rows(unknown),
        "; the classes are ", shorten_list(quoted(classes))
      ),
      "Correct it, or drop the column: the decision then follows from the probabilities."
    )
  }
}

check_weights <- function(weight, keep) {
  bad <- which(keep & !(is.finite(weight$value) & weight$value >= 0))
  if (length(bad) > 0) {
    refuse(
      "bad_weight", "Every 'weight' must be a number, 0 or greater.",
      paste0(
        "'weight' is ", shorten_list(unique(word_for(weight$text[bad]))), " in ", list_rows(bad)
      ),
      "Correct it, or drop the column."
    )
  }
  if (all(weight$value[keep] == 0)) {
    refuse(
      "bad_weight", "At least one 'weight' must be greater than 0.",
      "'weight' is 0 in every row.", "Correct it, or drop the column."
    )
  }
  ends <- range(weight$value[keep & weight$value > 0])
  if (ends[[2]] / ends[[1]] > widest_weights) {
    refuse(
      "bad_weight", "No 'weight' may be more than 1e15 times another that is not 0.",
      paste0("'weight' is ", paste(format_number(ends), collapse = " and "), "."),
      "Beside such a row the others count for nothing: correct it, or drop the column."
    )
  }
}

# What doubles can still add.
widest_weights <- 1e15

# --- words for values ---------------------------------------------------------

is_missing <- function(text) is.na(text) | text == ""

word_for <- function(text) ifelse(is_missing(text), "missing", quoted(text))

format_number <- function(x) sprintf("%.15g", x)

list_numbers <- function(x) shorten_list(format_number(x))
