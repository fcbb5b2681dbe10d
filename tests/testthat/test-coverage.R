few_cases <- function(n, cases) {
  set.seed(1)
  is_case <- seq_len(n) <= cases
  binary(ifelse(is_case, "pos", "neg"), round(plogis(rnorm(n) + is_case), 3))
}

low_note <- function(table) {
  notes <- validate(table)$notes
  notes$text[notes$code == "low_coverage"]
}

test_that("a report says where simulated intervals failed, with the figure", {
  note <- low_note(few_cases(200, 4))
  simulated <- simulated_coverage()
  row <- subset(
    simulated, study == "report" & metric == "roc_auc" & n == 200 & prevalence == 0.02
  )
  expect_lt(row$coverage, 0.9)
  expect_match(note, paste0(round(100 * row$coverage), "% (roc_auc binary)"), fixed = TRUE)
  expect_match(note, "Class 'pos' has 4 rows", fixed = TRUE)
})

test_that("a report whose intervals cover says nothing", {
  expect_length(low_note(few_cases(1000, 500)), 0)
  expect_length(low_note(few_cases(2000, 200)), 0)
  expect_length(low_note(system.file("extdata", "preds.csv", package = "rside")), 0)
})

test_that("the simulation is whole: every setting, at least 2000 tables", {
  simulated <- simulated_coverage()
  expect_true(all(simulated$tables >= 2000))
  settings <- unique(simulated[c("n", "prevalence")])
  expect_identical(nrow(settings), 9L)
  expect_true(all(table(paste(simulated$study, simulated$metric, simulated$estimator)) %% 9 == 0))
  # What is near enough its name: exact and Wilson intervals cover, whatever the table.
  exact <- subset(simulated, method == "Clopper-Pearson" & metric != "f1")
  expect_gt(min(exact$coverage), 0.93)
})
