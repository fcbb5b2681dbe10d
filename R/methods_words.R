# How a methods text says things: each metric, interval method, test and estimator in words, with
# the works that they cite as [@key].

# Numbers that follow from the confusion matrix, in one sentence.
count_phrases <- c(
  accuracy = "accuracy",
  no_information_rate = "the no-information rate",
  balanced_accuracy = "balanced accuracy [@brodersen2010]",
  cohen_kappa = "unweighted kappa [@cohen1960]",
  mcc = "the Matthews correlation coefficient [@gorodkin2004]",
  sensitivity = "sensitivity (recall)",
  specificity = "specificity",
  precision = "precision (the positive predictive value)",
  npv = "the negative predictive value",
  f1 = "the F1 score [@vanrijsbergen1979]",
  youden_index = "Youden's index [@youden1950]",
  likelihood_ratio_positive = "the positive likelihood ratio",
  likelihood_ratio_negative = "the negative likelihood ratio",
  diagnostic_odds_ratio = "the diagnostic odds ratio"
)

averaged <- paste(
  "Macro averages are plain means over the classes, prevalence-weighted ones are weighted by how",
  "often each class is true, and micro averages pool the rows."
)

# Numbers that go by one name and several definitions: which one is meant. A name is that of a
# metric, or of a metric and an estimator.
definitions <- c(
  no_information_rate = "The no-information rate is the share of the most frequent class.",
  balanced_accuracy = paste(
    "Balanced accuracy is the mean of the recall of every class that occurs in the truth."
  ),
  "roc_auc binary" = paste(
    "The area under the ROC curve is the probability that a row of the positive class has a",
    "greater score than one of the other class, ties counted half; a greater score always speaks",
    "for the positive class, so that an area below 0.5 is reported as such."
  ),
  "roc_auc hand_till" = paste(
    "The area under the ROC curve of several classes is given as the mean over all pairs of",
    "classes [@hand2001], as the mean over the classes, each against the rest, plain (macro) and",
    "weighted by prevalence, and pooled over the scores of all classes (micro); a greater",
    "probability of a class always speaks for it."
  ),
  average_precision = paste(
    "Average precision is the mean, over the rows of the positive class, of the precision at the",
    "score of each, without interpolation."
  ),
  pr_auc_trapezoid = paste(
    "The area under the precision-recall curve by trapezoids joins its points by straight lines,",
    "which lie above the curve between distant points [@davis2006]."
  ),
  partial_auc_corrected = paste(
    "The corrected partial area is 0.5 for guessing and 1 at most [@mcclish1989]."
  ),
  log_loss = paste(
    "Log-loss is the mean negative natural logarithm of the probability of the true class",
    "[@good1952], probabilities kept at least 2^-52 away from 0 and 1."
  ),
  "brier_score binary" = paste(
    "The Brier score [@brier1950] is the mean squared distance of the probability of the positive",
    "class from the outcome, 1 or 0; it lies between 0 and 1, and is half the sum over both",
    "classes."
  ),
  "brier_score multiclass" = paste(
    "The Brier score [@brier1950] is half the sum over the classes of the squared distance of",
    "probability and outcome, averaged over the rows, so that it lies between 0 and 1."
  ),
  brier_score_sum = "On Brier's own scale, the sum over the classes, it is twice that.",
  brier_reliability = paste(
    "The Brier score was decomposed over the bins into reliability, resolution and uncertainty",
    "[@murphy1973], and into what varies within the bins [@stephenson2008]."
  ),
  calibration_intercept = paste(
    "The calibration intercept is that of a logistic regression of the outcome with the logit of",
    "the probability as offset, the calibration slope the coefficient of that logit in a",
    "regression with an intercept of its own [@cox1958; @vancalster2016]."
  ),
  expected_calibration_error = paste(
    "The expected and the maximum calibration error are the mean, by the weight of the bins, and",
    "the greatest of the distances between observed share and mean probability [@naeini2015;",
    "@guo2017]; they depend on the bins and are biased upwards [@nixon2019], so that truths were",
    "also simulated from the probabilities themselves, to show what perfect calibration would",
    "give [@brocker2007]."
  ),
  "expected_calibration_error macro" = paste(
    "The macro error is the mean over the classes [@kull2019]."
  )
)

# "The 95% confidence intervals are ... for these numbers".
interval_phrases <- c(
  "Clopper-Pearson" = "exact [@clopper1934]",
  "Wilson" = "Wilson's [@wilson1927]",
  "MOVER (Wilson)" = paste(
    "by variance estimates recovered (MOVER) from Wilson's intervals of the parts [@wilson1927;",
    "@zou2009]"
  ),
  "delta" = "by the delta method [@hampel1974]",
  "delta (logit)" = "by the delta method on the logit scale [@hampel1974]",
  "delta (Fisher z)" = "by the delta method on Fisher's z scale [@hampel1974]",
  "delta (log)" = "by the delta method on the log scale [@hampel1974]",
  "DeLong" = "DeLong's [@delong1988], cut off at 0 and 1,",
  "DeLong (logit)" = "DeLong's on the logit scale [@delong1988]",
  "Newcombe" = "Newcombe's method 5 [@newcombe2006]",
  "Obuchowski (logit)" = "Obuchowski's for clustered scores [@obuchowski1997], on the logit scale,",
  "Boyd (logit)" = paste(
    "those of a proportion of as many trials as there are positives [@boyd2013], on the logit",
    "scale,"
  ),
  "Wald" = "Wald's",
  "Wald (sandwich)" = "Wald's by the sandwich estimator [@white1982]",
  "Simel (log)" = "Simel's on the log scale [@simel1991]",
  "Woolf (log)" = "Woolf's on the log scale [@woolf1955]",
  "bootstrap (percentile)" = paste(
    "percentiles of bootstrap samples stratified by the true class [@efron1979]"
  ),
  "bootstrap (basic)" = paste(
    "by the basic bootstrap [@efron1979; @carpenter2000], the bins held and the samples not",
    "stratified,"
  ),
  "bootstrap (test inversion)" = "by inverting bootstrap tests [@carpenter2000]"
)

# Of a difference between two models, where the same name stands for another interval.
difference_phrases <- c(
  "DeLong" = "DeLong's [@delong1988]",
  "DeLong (Welch)" = paste(
    "DeLong's by the t distribution with Welch's degrees of freedom [@delong1988; @robin2011]"
  ),
  "Obuchowski" = "Obuchowski's for clustered scores [@obuchowski1997]",
  "Newcombe" = "Newcombe's for independent proportions [@newcombe1998a]",
  "Newcombe (paired)" = "Newcombe's for paired proportions [@newcombe1998b]",
  "Tango" = "Tango's by the score test [@tango1998]"
)

# What the interval of one metric cites beside its method.
interval_sources <- c(
  "cohen_kappa delta (Fisher z)" = " [@fleiss1969]",
  "f1 Clopper-Pearson" = " [@lam2023]", "f1 Wilson" = " [@lam2023]",
  "f1 MOVER (Wilson)" = " [@zou2008]",
  "youden_index MOVER (Wilson)" = " [@newcombe1998a]",
  "ppv_at_prevalence delta (logit)" = " [@mercaldo2007]",
  "npv_at_prevalence delta (logit)" = " [@mercaldo2007]"
)

homogeneity_phrases <- c(
  "Pearson's chi-square" = "by Pearson's chi-square test [@pearson1900]",
  "Cochran's Q" = "by Cochran's Q [@cochran1954]",
  "Cochran's Q (logit)" = "by Cochran's Q on the logit scale [@cochran1954]",
  "Cochran's Q (Fisher z)" = "by Cochran's Q on Fisher's z scale [@cochran1954]",
  "Cochran's Q (log)" = "by Cochran's Q on the log scale [@cochran1954]"
)

test_phrases <- c(
  no_information_rate = paste(
    "a one-sided exact test of whether the accuracy exceeds the no-information rate"
  ),
  mcnemar = "McNemar's test without continuity correction [@mcnemar1947]",
  mcnemar_corrected = "McNemar's test with continuity correction",
  mcnemar_exact = "McNemar's test by the binomial distribution",
  bowker = paste(
    "Bowker's test of symmetry [@bowker1948], over the pairs of classes that were taken for each",
    "other"
  ),
  hosmer_lemeshow = paste(
    "the test of Hosmer and Lemeshow with as many degrees of freedom as groups [@hosmer1980;",
    "@hosmer2013]"
  ),
  spiegelhalter = "Spiegelhalter's test of calibration [@spiegelhalter1986]",
  two_proportions = "the chi-squared test of two proportions without continuity correction",
  two_proportions_corrected = "the same with Yates' correction",
  fisher_exact = "Fisher's exact test"
)

estimator_words <- c(
  macro = "macro-averaged", macro_weighted = "prevalence-weighted", micro = "micro-averaged",
  hand_till = "Hand-Till", one_vs_rest = "one-vs-rest", top_label = "top-label"
)

# "Sensitivity (recall, true positive rate)" is "sensitivity"; a name keeps its capital.
metric_words <- function(metric) {
  known <- metrics()
  word <- sub(" *[:,(].*", "", known$title[match(metric, known$name)])
  is_name <- grepl("^(F1|[[:upper:]][a-z]+'s|Brier|Matthews)\\b", word)
  ifelse(is_name, word, paste0(tolower(substr(word, 1, 1)), substring(word, 2)))
}

# "a, b and c".
list_words <- function(words) {
  n <- length(words)
  if (n < 2) words else paste(paste(words[-n], collapse = ", "), "and", words[[n]])
}

# Of several words; a name or a mass noun needs none.
with_article <- function(words) {
  plain <- !grepl("^[^[]* ", words) |
    grepl("^([[:upper:]][a-z]+'s|balanced accuracy|average precision|twice)\\b", words)
  ifelse(plain, words, paste("the", words))
}

# A class name as one line, in quotes.
class_words <- function(classes) quoted(shown(classes))
