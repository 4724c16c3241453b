import { join } from 'node:path'
import { NodeError } from '@keelson/primitives'
import { describeForkTimes } from '../../fork-times/describe-fork-times.ts'
import { FORK_TIMES_FILE } from '../../fork-times/fork-times-file.ts'
import { type ReadRollup, readRollup } from '../../fork-times/read-rollup.ts'
import type { DoctorCheck, DoctorContext } from '../doctor-context.ts'
import { fail, ok, type Result, skip } from '../finding.ts'
import { networkNowSec } from './forks.ts'

export const forkTimesCheck: DoctorCheck = {
  name: 'fork-times',
  async run(context) {
    if (context.rollup === null) return skip('newer fork times', 'the network cannot be read')
    const read = context.settings.dataDirs.map((dataDir) => readFrom(dataDir, context))
    const failed = read.flatMap(({ failure }) => (failure === null ? [] : [failure]))
    if (failed.length > 0) return failed
    const used = read.flatMap(({ dataDir, rollup }) => (rollup === null || rollup.newer === null ? [] : [{ dataDir, ...rollup }]))
    if (used.length === 0) return skip('newer fork times', 'no data directory has any (keelson network update)')
    if (new Set(read.map(({ rollup }) => JSON.stringify(Object.entries(rollup?.forkTimes ?? {}).sort()))).size > 1) {
      const why = read.map(({ dataDir, rollup }) => `${dataDir}: ${JSON.stringify(rollup?.forkTimes ?? {})}`).join('; ')
      return fail('the roles use different fork times', why, 'run keelson network update with all data folders at once')
    }
    return used.flatMap(({ dataDir, newer }) => {
      return newer === null ? [] : describeForkTimes(newer).map((line) => ok(`${join(dataDir, FORK_TIMES_FILE)}: ${line}`))
    })
  },
}

interface Read {
  readonly dataDir: string
  readonly rollup: ReadRollup | null
  readonly failure: Result | null
}

function readFrom(dataDir: string, context: DoctorContext): Read {
  const { network, allowSameChainId } = context.settings
  try {
    return { dataDir, rollup: readRollup({ network, allowSameChainId, dataDir }, networkNowSec(context)), failure: null }
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    const failure = fail(`${dataDir}: a role does not start with this folder`, error.message, 'run keelson network update again')
    return { dataDir, rollup: null, failure }
  }
}
