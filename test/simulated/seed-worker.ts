/** A process that runs one scenario after the other, until its parent ends. */
import type { Scenario } from '@keelson/simulator'
import { prepare, runOnce } from './one-run.ts'

const prepared = prepare()

process.on('message', (scenario: Scenario) => {
  void (async () => {
    const outcome = await runOnce(await prepared, scenario)
    const peakRssBytes = process.resourceUsage().maxRSS * 1024
    if (process.connected) process.send?.({ ...outcome, peakRssBytes, rssBytes: process.memoryUsage.rss() })
  })()
})
process.on('disconnect', () => process.exit())
