/** A process that runs one scenario after the other. */
import type { Scenario } from '@keelson/simulator'
import { prepare, runOnce } from './one-run.ts'

const prepared = prepare()

process.on('message', (scenario: Scenario) => {
  void (async () => {
    const outcome = await runOnce(await prepared, scenario)
    process.send?.({ ...outcome, peakRssBytes: process.resourceUsage().maxRSS * 1024 })
  })()
})
