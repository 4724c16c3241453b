/**
 * Mocha's dot reporter with a journal: $KEELSON_TEST_JOURNAL grows by one byte per test; `$KEELSON_TEST_JOURNAL.json`
 * receives {passed, failed, peakRssBytes, missing} at the end; `missing` names programs without which files have no tests.
 */
const { appendFileSync, writeFileSync } = require('node:fs')
const Mocha = require('mocha')

const { EVENT_RUN_END, EVENT_TEST_END } = Mocha.Runner.constants

const WITHOUT_TESTS = /without tests because (.+) is not installed$/

function missingOf(suite) {
  return suite.suites.flatMap((inner) => [...(WITHOUT_TESTS.exec(inner.title)?.slice(1) ?? []), ...missingOf(inner)])
}

class CountReporter extends Mocha.reporters.Dot {
  constructor(runner, options) {
    super(runner, options)
    const journal = process.env.KEELSON_TEST_JOURNAL
    if (!journal) return
    runner.on(EVENT_TEST_END, () => appendFileSync(journal, '.'))
    runner.once(EVENT_RUN_END, () => {
      const { passes, failures } = runner.stats
      const peakRssBytes = process.resourceUsage().maxRSS * 1024
      writeFileSync(`${journal}.json`, JSON.stringify({ passed: passes, failed: failures, peakRssBytes, missing: missingOf(runner.suite) }))
    })
  }
}

module.exports = CountReporter
