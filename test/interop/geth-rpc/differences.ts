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
    fits: (answers) => weRefuseParameters(answers) && /expected true or false/.test(JSON.stringify(answers.ours)),
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
