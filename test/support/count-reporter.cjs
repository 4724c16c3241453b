/**
 * Mocha's dot reporter with a journal: $KEELSON_TEST_JOURNAL grows by one byte per test; `$KEELSON_TEST_JOURNAL.json`
 * receives {passed, failed, peakRssBytes} at the end.
 */
const { appendFileSync, writeFileSync } = require('node:fs')
const Mocha = require('mocha')

const { EVENT_RUN_END, EVENT_TEST_END } = Mocha.Runner.constants

class CountReporter extends Mocha.reporters.Dot {
  constructor(runner, options) {
    super(runner, options)
    const journal = process.env.KEELSON_TEST_JOURNAL
    if (!journal) return
    runner.on(EVENT_TEST_END, () => appendFileSync(journal, '.'))
    runner.once(EVENT_RUN_END, () => {
      const { passes, failures } = runner.stats
      const peakRssBytes = process.resourceUsage().maxRSS * 1024
      writeFileSync(`${journal}.json`, JSON.stringify({ passed: passes, failed: failures, peakRssBytes }))
    })
  }
}

module.exports = CountReporter
