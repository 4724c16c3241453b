import type { DoctorCheck, DoctorContext } from '../doctor-context.ts'
import { fail, ok, type Result, skip, warn } from '../finding.ts'
import { quantityOf, troubleOf } from '../probe.ts'

const WARN_AGE_SEC = 60
const MAX_AGE_SEC = 300
const FUTURE_SEC = 15
const METHOD_NOT_FOUND = -32601
const ANOTHER_L1 = 'give --l1.rpc of an L1 node that does'

export const hostOf = (url: string) => new URL(url).host

async function ofEach(
  context: DoctorContext,
  what: string,
  judge: (url: string, context: DoctorContext) => Promise<Result>,
): Promise<readonly Result[]> {
  if (context.settings.l1Rpc.length === 0) return [skip(what, 'no L1 is given (--l1.rpc)')]
  if (context.l1.length === 0) return [skip(what, 'L1 cannot be asked')]
  return Promise.all(context.l1.map((url) => judge(url, context)))
}

export const l1Check: DoctorCheck = {
  name: 'l1',
  async run(context) {
    const { l1Rpc } = context.settings
    if (l1Rpc.length === 0) return skip('L1', 'no L1 is given (--l1.rpc)')
    const results = await Promise.all(l1Rpc.map((url) => judgeL1(url, context)))
    context.l1 = l1Rpc.filter((_url, i) => results[i]?.status === 'ok')
    // An unusable URL is only a warning while another one works.
    return results.map((result) => (result.status === 'fail' && context.l1.length > 0 ? { ...result, status: 'warn' as const } : result))
  },
}

async function judgeL1(url: string, { probe, rollup }: DoctorContext): Promise<Result> {
  const host = hostOf(url)
  const chainId = await probe.call(url, 'eth_chainId', [])
  if (chainId.kind !== 'result') {
    return fail(
      `the L1 at ${host} does not answer`,
      troubleOf(chainId),
      'start it, see that it can be reached from here, or give another --l1.rpc',
    )
  }
  const id = quantityOf(chainId)
  if (id === null) return fail(`${host} does not answer as an L1 node`, 'it gives no chain id', 'give --l1.rpc of an L1 node')
  if (rollup !== null && id !== rollup.l1ChainId) {
    return fail(
      `the L1 at ${host} is another chain`,
      `it is chain ${id}, rollup.json expects ${rollup.l1ChainId}`,
      'give --l1.rpc of the right chain',
    )
  }
  const version = await probe.call(url, 'web3_clientVersion', [])
  return ok(`${version.kind === 'result' ? String(version.value) : 'a client that does not say which'} at ${host}, chain ${id}`)
}

interface HeadJson {
  readonly number?: string
  readonly timestamp?: string
}

export const l1HeadCheck: DoctorCheck = {
  name: 'l1-head',
  run: (context) => ofEach(context, 'age of the L1 head', judgeHead),
}

async function judgeHead(url: string, { probe, settings }: DoctorContext): Promise<Result> {
  const syncing = await probe.call(url, 'eth_syncing', [])
  const answer = await probe.call(url, 'eth_getBlockByNumber', ['latest', false])
  const head = answer.kind === 'result' ? (answer.value as HeadJson | null) : null
  if (head === null) return fail('L1 shows no head', answer.kind === 'result' ? 'no block' : troubleOf(answer), ANOTHER_L1)
  const number = Number(head.number)
  if (syncing.kind === 'result' && syncing.value !== false && syncing.value !== null) {
    return fail('L1 is still syncing', `it stands at block ${number}`, 'wait until it has caught up, or give another --l1.rpc')
  }
  // Uses the L1 node's clock; the clock check judges ours.
  const nowMs = probe.nowAtMs(url) + settings.clockOffsetMs
  const ageSec = Math.round(nowMs / 1000) - Number(head.timestamp)
  const line = `L1 block ${number} is ${ageSec} s old`
  const todo = 'see the L1 node and its beacon node, or give another --l1.rpc'
  if (ageSec > MAX_AGE_SEC) return fail(line, `L1 has stopped or this node is behind; at most ${MAX_AGE_SEC} s are expected`, todo)
  if (ageSec > WARN_AGE_SEC) return warn(line, `more than ${WARN_AGE_SEC} s are unusual`, todo)
  if (ageSec < -FUTURE_SEC)
    return warn(`L1 block ${number} is of ${-ageSec} s from now`, 'the clock of the L1 node is behind', 'set it right')
  const finalized = await probe.call(url, 'eth_getBlockByNumber', ['finalized', false])
  const last = finalized.kind === 'result' ? (finalized.value as HeadJson | null) : null
  return ok(last === null ? line : `${line}, finalized ${Number(last.number)}`)
}

export const l1ReceiptsCheck: DoctorCheck = {
  name: 'l1-receipts',
  run: (context) => ofEach(context, 'receipts of L1', judgeReceipts),
}

async function judgeReceipts(url: string, { probe }: DoctorContext): Promise<Result> {
  const answer = await probe.call(url, 'eth_getBlockReceipts', ['latest'])
  if (answer.kind === 'result' && Array.isArray(answer.value)) return ok('eth_getBlockReceipts answers')
  if (answer.kind === 'rpc-error' && answer.number === METHOD_NOT_FOUND) {
    return warn('L1 has no eth_getBlockReceipts', 'receipts are asked one by one: many more requests', ANOTHER_L1)
  }
  return fail('L1 gives no receipts', answer.kind === 'result' ? 'an empty answer' : troubleOf(answer), ANOTHER_L1)
}

export const l1GenesisCheck: DoctorCheck = {
  name: 'l1-genesis',
  run: (context) => ofEach(context, 'where the rollup began on L1', judgeGenesis),
}

async function judgeGenesis(url: string, { probe, rollup }: DoctorContext): Promise<Result> {
  if (rollup === null) return skip('where the rollup began on L1', 'the network cannot be read')
  const { genesis, systemConfigContract } = rollup
  const answer = await probe.call(url, 'eth_getBlockByNumber', [`0x${genesis.l1.number.toString(16)}`, false])
  const block = answer.kind === 'result' ? (answer.value as { hash?: string } | null) : null
  if (block === null) {
    const why = answer.kind === 'result' ? 'it does not know it' : troubleOf(answer)
    return warn(`L1 does not show block ${genesis.l1.number}, where the rollup began`, why, 'a node without history can follow, not begin')
  }
  if (block.hash !== genesis.l1.hash) {
    const why = `block ${genesis.l1.number} is ${block.hash}, rollup.json says ${genesis.l1.hash}`
    return fail('this is not the L1 the rollup began on', why, 'give --l1.rpc of the right L1, or the network that belongs to this one')
  }
  const code = await probe.call(url, 'eth_getCode', [systemConfigContract, 'latest'])
  if (code.kind === 'result' && code.value === '0x') {
    return fail('there is no SystemConfig contract on L1', `${systemConfigContract} has no code`, 'see that rollup.json belongs to this L1')
  }
  if (code.kind !== 'result') return warn('L1 does not show the SystemConfig contract', troubleOf(code), ANOTHER_L1)
  return ok(`block ${genesis.l1.number} is the one in rollup.json, the SystemConfig contract is there`)
}
