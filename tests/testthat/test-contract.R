for (case in cases()) {
  test_that(paste(case$file, "is", if (is.null(case$check)) "accepted" else "refused"), {
    path <- fixture(case$file)
    if (is.null(case$check)) {
      predictions <- read_predictions(path)
      known <- facts(predictions)
      expect_equal(nrow(predictions), case$rows)
      expect_identical(known$classes, unlist(case$classes))
      expect_identical(known$positive, case$positive)
      expect_identical(levels(predictions$true_label), unlist(case$classes))
      expect_identical("positive" %in% known$assumed, isTRUE(case$assumed))
      if (!is.null(case$threshold)) expect_identical(known$threshold, case$threshold)
      if (!is.null(case$ids)) expect_identical(predictions$id, unlist(case$ids))
      for (group in names(case$groups)) {
        expect_identical(predictions[[group]], unlist(case$groups[[group]]))
      }
    } else {
      refusal <- expect_error(read_predictions(path), class = paste0("rside_error_", case$check))
      expect_s3_class(refusal, c("rside_error_contract", "rside_error"))
      expect_identical(refusal$check, case$check)
      for (text in case$mentions) expect_match(conditionMessage(refusal), text, fixed = TRUE)
    }
  })
}

test_that("the data frame door makes the checks of the file door", {
  for (case in cases()) {
    in_file <- c(
      "file_missing", "file_empty", "encoding", "unnamed_column", "duplicate_columns", "truncated"
    )
    if (isTRUE(case$check %in% in_file) || grepl("sidecar", case$check %||% "")) next
    path <- fixture(case$file)
    sidecar <- if (file.exists(sidecar_path(path))) jsonlite::read_json(sidecar_path(path))
    columns <- read_columns(path, read_header(path), seq_along(read_header(path)))
    table <- structure(columns, row.names = seq_along(columns[[1]]), class = "data.frame")
    build <- function() {
      as_predictions(table, unlist(sidecar$classes), sidecar$positive, sidecar$threshold)
    }
    if (is.null(case$check)) {
      expect_identical(as.data.frame(build()), as.data.frame(read_predictions(path)))
    } else {
      expect_error(build(), class = paste0("rside_error_", case$check))
    }
  }
})

test_that("columns of a data frame have names of their own", {
  table <- binary("neg", 0.5)
  expect_error(as_predictions(cbind(table, table)), class = "rside_error_duplicate_columns")
  names(table)[1] <- ""
  expect_error(as_predictions(table), class = "rside_error_unnamed_column")
})

test_that("a message names five rows and counts the others", {
  expect_identical(list_rows(3), "row 3")
  expect_identical(list_rows(c(3, 5, 8)), "rows 3, 5, 8")
  expect_identical(list_rows(1:17), "rows 1, 2, 3, 4, 5 and 12 more")
  expect_identical(list_rows(100000), "row 100000")
  expect_identical(list_names("column", c("a", "b")), "columns 'a', 'b'")
  expect_identical(list_names("class", c("a", "b")), "classes 'a', 'b'")
})

test_that("names are shown as they are, never interpolated", {
  table <- data.frame(true_label = "{stop('no')}", a = 0.5, b = 0.5)
  names(table)[2:3] <- c("pred_prob_{x}", "pred_prob_%s")
  refusal <- expect_error(as_predictions(table), class = "rside_error_unknown_class")
  expect_match(conditionMessage(refusal), "'{stop('no')}'", fixed = TRUE)
  expect_match(conditionMessage(refusal), "'{x}', '%s'", fixed = TRUE)
})
