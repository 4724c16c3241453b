/** The network's files, and what is scheduled in them. */
import { FORKS, type ForkSchedule, statedForkTime } from '@keelson/chainspec'
import { l2Time, NodeError } from '@keelson/primitives'
import { readGenesisBlock, readL1ChainConfig, readRollupConfig } from '../../network.ts'
import type { DoctorCheck } from '../doctor-context.ts'
import { fail, ok, skip, warn } from '../finding.ts'

const DAY_SEC = 86_400
const SOON_DAYS = 7

export const networkCheck: DoctorCheck = {
  name: 'network',
  async run({ settings }) {
    const { network, allowSameChainId } = settings
    try {
      const rollup = readRollupConfig(network, { allowSameChainId })
      const l1Chain = readL1ChainConfig(network)
      readGenesisBlock(network, rollup)
      if (l1Chain.chainId !== rollup.l1ChainId) {
        const why = `l1-chain.json is of chain ${l1Chain.chainId}, rollup.json expects L1 ${rollup.l1ChainId}`
        return fail(`the files in ${network} do not fit together`, why, 'take all of them from one source')
      }
      return ok(`L2 chain ${rollup.l2ChainId} on L1 ${rollup.l1ChainId}, genesis ${rollup.genesis.l2.hash}`)
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      const unknownFork = /fork/i.test(error.message)
      const todo = unknownFork
        ? 'run a release that knows it, or correct the file'
        : 'correct the file, or name another folder with --network'
      return fail(`the network in ${network} cannot be used`, error.message, todo)
    }
  },
}

export const forksCheck: DoctorCheck = {
  name: 'forks',
  async run({ settings, machine, rollup, probe, otherNetwork }) {
    if (rollup === null) return skip('fork schedule', 'the network cannot be read')
    const nowSec = Math.floor((machine.nowMs() + settings.clockOffsetMs) / 1000)
    const next = rollup.forks.lineage.find((fork) => (rollup.forks.activationTimeSec(fork) ?? 0) > nowSec)
    const active = rollup.forks.forkAt(l2Time(Math.max(nowSec, rollup.genesis.l2TimestampSec)))
    const own = await probe.call(settings.rollupRpc, 'optimism_rollupConfig', [])
    if (own.kind === 'result' && !otherNetwork) {
      const other = differing(own.value, rollup.forks)
      if (other !== null) {
        return fail('the running consensus client has other forks', other, 'start it again with the same --network as here')
      }
    }
    const agree = own.kind === 'result' && !otherNetwork ? '; the running consensus client agrees' : ''
    if (next === undefined) return ok(`${active} is active, no other fork is scheduled${agree}`)
    const inDays = ((rollup.forks.activationTimeSec(next) as number) - nowSec) / DAY_SEC
    const line = `${active} is active, ${next} follows in ${inDays < 2 ? `${Math.round(inDays * 24)} hours` : `${Math.floor(inDays)} days`}${agree}`
    if (inDays > SOON_DAYS) return ok(line)
    return warn(line, 'everybody must run a release that knows it by then', 'see that L1, beacon and execution client are up to date too')
  },
}

function differing(config: unknown, forks: Pick<ForkSchedule, 'activationTimeSec'>): string | null {
  for (const fork of FORKS.filter((each) => each !== 'bedrock')) {
    const [has, wants] = [statedForkTime(config, fork, '_time'), forks.activationTimeSec(fork)]
    if (has !== wants) return `${fork} at ${has ?? 'no time'}, rollup.json here says ${wants ?? 'no time'}`
  }
  return null
}
