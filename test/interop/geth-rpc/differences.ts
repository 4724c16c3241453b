/** Where Keelson and geth answer differently, and why. A difference that no row explains fails the comparison. */
import { isDeepStrictEqual } from 'node:util'
import type { Answers, KnownDifference } from './compare.ts'

const isRefused = (code: number, words: RegExp) => (answers: Answers) =>
  'error' in answers.geth && answers.geth.error.code === code && words.test(answers.geth.error.message)

const bothAnswer = ({ ours, geth }: Answers) => 'result' in ours && 'result' in geth
const weRefuseParameters = ({ ours }: Answers) => 'error' in ours && ours.error.code === -32602

/** go-ethereum, eth/gasestimator: `estimateGasErrorRatio`. */
const GETH_ESTIMATE_TOLERANCE = 0.015

function isWithinTolerance({ ours, geth }: Answers): boolean {
  if (!('result' in ours && 'result' in geth)) return false
  const [exact, search] = [Number(ours.result), Number(geth.result)]
  return search >= exact && search <= exact * (1 + GETH_ESTIMATE_TOLERANCE)
}

const sameSet = (one: unknown, other: unknown) =>
  Array.isArray(one) && Array.isArray(other) && isDeepStrictEqual(new Set<unknown>(one), new Set<unknown>(other))

/** The nodes, codes and number of headers are equal. */
function hasSameWitness({ ours, geth }: Answers): boolean {
  if (!('result' in ours && 'result' in geth)) return false
  const [one, other] = [ours.result, geth.result] as readonly Readonly<Record<string, unknown>>[]
  const headers = [one, other].map((witness) => (Array.isArray(witness?.headers) ? witness.headers.length : null))
  return sameSet(one?.state, other?.state) && sameSet(one?.codes, other?.codes) && headers[0] !== null && headers[0] === headers[1]
}

const withoutTotalDifficulty = (result: unknown) =>
  JSON.parse(JSON.stringify(result), (name, value) => (name === 'totalDifficulty' ? undefined : value))

export const DIFFERENCES: readonly KnownDifference[] = [
  {
    why: 'geth has no such method, or not over HTTP',
    methods: /^(debug_payloadWitness|eth_getTransactionBySenderAndNonce|eth_sendRawTransactionConditional|eth_subscribe|eth_unsubscribe)$/,
    fits: isRefused(-32601, /./),
  },
  { why: 'each client says its own name', methods: /^web3_clientVersion$/, fits: bothAnswer },
  { why: 'Keelson runs without a network of peers here, so it does not listen', methods: /^net_listening$/, fits: bothAnswer },
  { why: 'geth waits for a consensus client and calls that syncing', methods: /^eth_syncing$/, fits: bothAnswer },
  { why: 'each client suggests prices by a policy of its own', methods: /^eth_(gasPrice|maxPriorityFeePerGas)$/, fits: bothAnswer },
  {
    why: 'nobody has named a safe or finalized block: Keelson answers for genesis, geth refuses',
    methods: /./,
    fits: isRefused(-32000, /^(safe|finalized) block not found$/),
  },
  {
    why: 'Keelson answers `pending` for the latest block, geth builds a block for it',
    methods: /^(debug|eth)_/,
    fits: (answers) => bothAnswer(answers) && answers.request.params.includes('pending'),
  },
  {
    why: 'nobody has named a safe or finalized block: Keelson answers for genesis, geth null',
    methods: /^eth_getHeaderByNumber$/,
    fits: ({ request, ours, geth }) =>
      /^(safe|finalized)$/.test(String(request.params[0])) && 'result' in ours && 'result' in geth && geth.result === null,
  },
  {
    why: 'geth does not find the pending block that it has just built',
    methods: /^debug_getRaw(Block|Header)$/,
    fits: (answers) => answers.request.params[0] === 'pending' && isRefused(-32000, /^(block|header) #\[[\d ]+\] not found$/)(answers),
  },
  {
    why: 'headers of a witness are RLP at Keelson, as at reth, and objects at geth; trie nodes and codes are the same',
    methods: /^debug_executionWitness$/,
    fits: hasSameWitness,
  },
  {
    why: 'an absent block is an error at Keelson, as in debug_getRawBlock, and has no receipts or no bytes at geth',
    methods: /^debug_getRaw(Receipts|Header)$/,
    fits: ({ ours, geth }) =>
      'error' in ours &&
      ours.error.message === 'block not found' &&
      'result' in geth &&
      (geth.result === '0x' || geth.result === null || isDeepStrictEqual(geth.result, [])),
  },
  {
    why: 'geth runs what it does not know of a tracer as JavaScript, Keelson refuses it',
    methods: /^debug_trace/,
    fits: ({ ours, geth }) => 'error' in ours && /ReferenceError: \w+ is not defined/.test(JSON.stringify(geth)),
  },
  {
    why: 'Keelson traces on the latest block when asked for the pending one, geth refuses it',
    methods: /^debug_traceCall$/,
    fits: isRefused(-32000, /^tracing on top of pending is not supported$/),
  },
  {
    why: 'Keelson refuses the number of a block above 2^53-1, geth looks for it',
    methods: /^(debug|eth)_/,
    fits: (answers) => weRefuseParameters(answers) && /is above 2\^53-1/.test(JSON.stringify(answers.ours)),
  },
  {
    why: 'geth moves no precompile for an access list',
    methods: /^eth_createAccessList$/,
    fits: isRefused(-32000, /^account 0x0{39}\w is not a precompile$/),
  },
  {
    why: 'the history of no blocks has empty lists at Keelson, and null at geth',
    methods: /^eth_feeHistory$/,
    fits: ({ request, ours, geth }) =>
      Number(request.params[0]) === 0 &&
      'result' in ours &&
      'result' in geth &&
      isDeepStrictEqual(geth.result, { oldestBlock: '0x0', gasUsedRatio: null }),
  },
  {
    why: 'an argument that geth requires has a default at Keelson: hashes of transactions only, no percentiles',
    methods: /^eth_(getBlockBy\w+|feeHistory)$/,
    fits: isRefused(-32602, /^missing value for required argument/),
  },
  {
    why: 'Keelson takes the time limit as a number and as a quantity, geth as a number',
    methods: /^eth_sendRawTransactionSync$/,
    fits: isRefused(-32602, /^invalid argument 1: .* uint64$/),
  },
  {
    why: 'an absent transaction is null at Keelson, as in the methods beside it, and no bytes at geth',
    methods: /^eth_getRawTransaction/,
    fits: ({ ours, geth }) => 'result' in ours && ours.result === null && 'result' in geth && geth.result === '0x',
  },
  {
    why: 'Keelson refuses an option of a tracer that has another type before it traces; geth when the tracer reads it, or never',
    methods: /^debug_trace/,
    fits: (answers) => weRefuseParameters(answers) && /expected (true or false|an object)/.test(JSON.stringify(answers.ours)),
  },
  {
    why: 'blocks have `totalDifficulty` at Keelson, and no longer at geth',
    methods: /^eth_(getBlockBy\w+|simulateV1)$/,
    fits: ({ ours, geth }) =>
      'result' in ours && 'result' in geth && isDeepStrictEqual(withoutTotalDifficulty(ours.result), withoutTotalDifficulty(geth.result)),
  },
  {
    why: 'each client states how long it keeps states, proofs and logs, by options of its own',
    methods: /^eth_capabilities$/,
    fits: bothAnswer,
  },
  { why: 'geth ends its search within 1.5 % of the least gas, Keelson finds it', methods: /^eth_estimateGas$/, fits: isWithinTolerance },
]
