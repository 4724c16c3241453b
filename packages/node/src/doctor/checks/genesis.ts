/** Detects another network's node, which would mislead later checks. */
import type { DoctorCheck, DoctorContext } from '../doctor-context.ts'
import { fail, ok, type Result, skip } from '../finding.ts'
import { hostOf } from './l1.ts'

const REMEDY =
  'name the ports of this network with --port-offset or the port options, or look at a development network with --devnet FOLDER'

export const genesisCheck: DoctorCheck = {
  name: 'genesis',
  async run(context) {
    const { rollup, settings } = context
    if (rollup === null) return skip('genesis of the running node', 'the network cannot be read')
    const { hash } = rollup.genesis.l2
    const answers = [await executionGenesis(context), await consensusGenesis(context)]
    const others = answers.flatMap((answer): Result[] => {
      if (answer === null || answer.hash === hash) return []
      const why = `its genesis is ${answer.hash}, that of ${settings.network} is ${hash}`
      return [fail(`the ${answer.name} at ${answer.host} is of another network`, why, REMEDY)]
    })
    if (others.length > 0) {
      context.otherNetwork = true
      return others
    }
    const same = answers.filter((answer) => answer !== null).map(({ name }) => name)
    return same.length === 0 ? skip('genesis of the running node', 'no node runs') : ok(`${same.join(' and ')} run ${hash}`)
  },
}

interface FoundGenesis {
  readonly name: string
  readonly host: string
  readonly hash: string
}

async function executionGenesis({ probe, settings, rollup }: DoctorContext): Promise<FoundGenesis | null> {
  const number = `0x${(rollup?.genesis.l2.number ?? 0).toString(16)}`
  const answer = await probe.call(settings.httpRpc, 'eth_getBlockByNumber', [number, false])
  const hash = answer.kind === 'result' ? (answer.value as { hash?: unknown } | null)?.hash : undefined
  return typeof hash === 'string' ? { name: 'execution client', host: hostOf(settings.httpRpc), hash } : null
}

async function consensusGenesis({ probe, settings }: DoctorContext): Promise<FoundGenesis | null> {
  const answer = await probe.call(settings.rollupRpc, 'optimism_rollupConfig', [])
  const config = answer.kind === 'result' ? (answer.value as { genesis?: { l2?: { hash?: unknown } } } | null) : null
  const hash = config?.genesis?.l2?.hash
  return typeof hash === 'string' ? { name: 'consensus client', host: hostOf(settings.rollupRpc), hash } : null
}

export const OTHER_NETWORK = 'what runs there is of another network (see genesis)'
