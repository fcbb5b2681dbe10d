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

test_that("comparisons, operating points and single AUCs say so as well", {
  table <- few_cases(200, 4)
  p <- as_predictions(table)
  other <- as_predictions(transform(
    table, pred_prob_pos = pred_prob_neg, pred_prob_neg = pred_prob_pos
  ))
  notes <- compare_models(p, other)$notes
  expect_match(notes$text[notes$code == "low_coverage"], "(roc_auc)", fixed = TRUE)
  points <- operating_points(p, replicates = 2)
  expect_match(points$warning, "likelihood_ratio_negative", fixed = TRUE)
  said <- function(interval) {
    paste(format(auc_ci(p, interval = interval, replicates = 20)), collapse = " ")
  }
  expect_match(said("delong"), "(DeLong)", fixed = TRUE)
  expect_match(said("logit"), "81% (DeLong (logit))", fixed = TRUE)
  expect_match(said("bootstrap"), "68% (bootstrap (percentile))", fixed = TRUE)
  expect_no_match(said("newcombe"), "simulated")
  many <- few_cases(2000, 400)
  expect_no_match(paste(format(auc_ci(many)), collapse = " "), "simulated")
  expect_null(operating_points(many, replicates = 2)$warning)
})

test_that("what the vignette says of exact, Wilson's and Newcombe's intervals holds", {
  simulated <- simulated_coverage()
  expect_gt(min(simulated$coverage[simulated$method == "Newcombe"]), 0.93)
  expect_gt(min(simulated$coverage[simulated$method == "Wilson"]), 0.92)
})
