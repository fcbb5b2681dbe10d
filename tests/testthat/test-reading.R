# The traps of fread(), one test each.

header <- "id,true_label,pred_prob_01,pred_prob_1"

test_that("a header over text labels stays the header", {
  p <- read_predictions(csv("true_label,pred_prob_0,pred_prob_1", "0,1,0", "1,0,1"))
  expect_identical(nrow(p), 2L)
  expect_identical(facts(p)$classes, c("0", "1"))
})

test_that("labels that look like numbers stay the text they are", {
  labels <- c("01", "1", "1e3", "1000", "True", "TRUE", "2020-01-01", "NA", "NaN", "inf", "0x1A")
  rows <- diag(length(labels))
  lines <- c(
    paste(c("true_label", paste0("pred_prob_", labels)), collapse = ","),
    paste(labels, apply(rows, 1, paste, collapse = ","), sep = ",")
  )
  p <- read_predictions(csv(lines))
  expect_identical(as.character(p$true_label), labels)
  expect_identical(sum(diag(confusion(p)$table)), length(labels))
})

test_that("spaces in a label are kept, and a field of spaces is a text", {
  p <- read_predictions(csv("true_label,pred_prob_ a ,pred_prob_a", " a ,1,0", "a,0,1"))
  expect_identical(facts(p)$classes, c(" a ", "a"))
  expect_identical(as.character(p$true_label), c(" a ", "a"))
})

test_that("a quote inside a label is unescaped", {
  p <- read_predictions(csv(
    "true_label,\"pred_prob_say \"\"hi\"\"\",pred_prob_b", "\"say \"\"hi\"\"\",1,0", "b,0,1"
  ))
  expect_identical(levels(p$true_label), c("say \"hi\"", "b"))
})

test_that("long ids stay exact", {
  ids <- c("2147483648", "9007199254740993", "12345678901234567890", "007", "1e3")
  p <- read_predictions(csv(header, paste0(ids, ",1,0.25,0.75")))
  expect_identical(p$id, ids)
})

test_that("an empty field is missing, the text NA is not", {
  p <- read_predictions(csv(paste0(header, ",site"), "NA,1,0.5,0.5,", "b,1,0.5,0.5,NA"))
  expect_identical(p$id, c("NA", "b"))
  expect_identical(p$site, c("", "NA"))
  expect_error(
    read_predictions(csv(header, "a,1,NA,0.5", "b,1,0.5,0.5")), class = "rside_error_not_a_number"
  )
})

test_that("probabilities that fread takes for another type are judged by their text", {
  judged <- function(...) {
    rows <- c(...)
    read_predictions(csv(header, paste0(letters[seq_along(rows)], ",1,", rows)))
  }
  for (text in c("TRUE,0.5", "2020-01-01,0.5", "half,0.5", "1_0,0.5", "0x1p-1,0.5", "-,0.5")) {
    expect_error(judged(text), class = "rside_error_not_a_number")
  }
  for (text in c(",0.5", "nan,0.5", "NaN,0.5")) {
    expect_error(judged(text), class = "rside_error_missing_value")
  }
  for (text in c("Inf,0.5", "-inf,0.5", "1e400,0.5", "9007199254740993,0.5")) {
    expect_error(judged(text), class = "rside_error_out_of_range")
  }
  expect_identical(judged("1e-400,1", " 0.25,0.75")$pred_prob_01, c(0, 0.25))
  expect_identical(judged("1,0", "0,1")$pred_prob_1, c(0, 1))
})

test_that("a text far below the rows that fread looks at first is found", {
  lines <- sprintf("a%d,1,0.5,0.5", 1:30000)
  lines[20001] <- "a20001,1,half,0.5"
  refusal <- expect_error(read_predictions(csv(header, lines)), class = "rside_error_not_a_number")
  expect_match(conditionMessage(refusal), "'half' in row 20001", fixed = TRUE)
  lines[20001] <- "a20001,1,\"0.5\",0.5"
  expect_identical(read_predictions(csv(header, lines))$pred_prob_01, rep(0.5, 30000))
})

test_that("rows of another length are found wherever they are", {
  row <- "a,1,0.5,0.5"
  short <- "b,1,0.5"
  refused <- function(..., rows) {
    refusal <- expect_error(read_predictions(csv(...)), class = "rside_error_truncated")
    expect_match(conditionMessage(refusal), rows, fixed = TRUE)
  }
  refused(header, short, row, rows = "row 1")
  refused(header, row, short, row, rows = "row 2")
  refused(header, row, short, rows = "row 2")
  refused(header, short, short, rows = "rows 1, 2")
  refused(header, paste0(row, ",1"), paste0(row, ",1"), rows = "rows 1, 2")
  refused(header, row, "", row, rows = "row 2")
  refused(header, row, "\"a,1,0.5,0.5", rows = "as many fields")
  many <- sprintf("a%d,1,0.5,0.5", 1:20000)
  refused(header, many, short, many, rows = "row 20001")
})

test_that("line ends, a byte order mark and a missing last newline make no difference", {
  lines <- c(header, "a,1,0.25,0.75", "b,01,0.5,0.5")
  write <- function(text) {
    path <- tempfile(fileext = ".csv")
    writeBin(c(as.raw(c(0xef, 0xbb, 0xbf)), charToRaw(text)), path)
    as.data.frame(read_predictions(path))
  }
  plain <- as.data.frame(read_predictions(csv(lines)))
  expect_identical(write(paste(lines, collapse = "\r\n")), plain)
  expect_identical(write(paste(lines, collapse = "\n")), plain)
})

test_that("select reads the named columns, labels and probabilities always", {
  path <- fixture("ok_extras.csv")
  needed <- c("true_label", "pred_prob_cat", "pred_prob_dog")
  expect_identical(names(read_predictions(path, select = character())), needed)
  expect_identical(names(read_predictions(path, select = "site")), c(needed, "site"))
  expect_identical(
    read_predictions(path, select = c("site", "id"))$site, read_predictions(path)$site
  )
  refusal <- expect_error(
    read_predictions(path, select = c("site", "sight")), class = "rside_error_argument"
  )
  expect_match(conditionMessage(refusal), "'sight'", fixed = TRUE)
})

test_that("a select that needs a second look reads the same column", {
  path <- csv("x,true_label,y,pred_prob_a,z,pred_prob_b", "1,a,2,1,3,0", "1,b,2,nan,3,1")
  refusal <- expect_error(
    read_predictions(path, select = "z"), class = "rside_error_missing_value"
  )
  expect_match(conditionMessage(refusal), "'pred_prob_a' has no value in row 2", fixed = TRUE)
})

test_that("bad bytes are found with their line, wherever they are", {
  lines <- c(header, rep("\u00fc,1,0.5,0.5", 10))
  bytes <- charToRaw(enc2utf8(paste0(lines, "\n", collapse = "")))
  refused <- function(bytes, line) {
    path <- tempfile(fileext = ".csv")
    writeBin(bytes, path)
    refusal <- expect_error(read_predictions(path), class = "rside_error_encoding")
    expect_match(conditionMessage(refusal), line, fixed = TRUE)
  }
  replaced <- function(at, by) replace(bytes, at, as.raw(by))
  fourth <- nchar(lines[1]) + 1 + 3 * (nchar(lines[2], "bytes") + 1) + 1
  refused(replaced(fourth, 0xff), "Line 5 ")
  refused(replaced(fourth, 0), "Line 5 ")
  refused(replaced(length(bytes), 0), "Line 11 ")
  refused(replaced(length(bytes), 0xc3), "Line 11 ")
})

test_that("a character may lie across two chunks", {
  expect_identical(whole_characters(charToRaw("ab")), 1)
  for (text in c("\u00fc", "\u65e5", "\U1F600")) {
    bytes <- charToRaw(enc2utf8(text))
    for (part in seq_along(bytes)) {
      expect_identical(whole_characters(c(charToRaw("abc"), bytes[seq_len(part)])), 3)
    }
  }
})
