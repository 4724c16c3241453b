const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const
const whole = { type: 'integer' } as const
const wholeOrNull = { type: ['integer', 'null'] } as const
const yesNo = { type: 'boolean' } as const

function object<const P extends Record<string, unknown>>(properties: P) {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false } as const
}
function orNull<const S extends { readonly type: 'object' }>(schema: S) {
  return { ...schema, type: ['object', 'null'] as const, nullable: true }
}

export const hashParams = {
  type: 'object',
  properties: { hash: { type: 'string', pattern: '^0[xX][0-9a-fA-F]{64}$' } },
  required: ['hash'],
} as const

const state = { type: 'string', enum: ['pending', 'relaying', 'complete', 'failed'] } as const
const reason = object({ code: text, text })

const depositSchema = object({
  state,
  kind: { type: 'string', enum: ['native', 'erc20', 'message'] },
  l2TxHash: text,
  sender: text,
  recipient: textOrNull,
  amount: text,
  token: orNull(object({ l1: text, l2: text })),
  mint: text,
  gasLimit: text,
  l1LogIndex: whole,
  messageHash: textOrNull,
  l2: orNull(object({ blockNumber: whole, blockHash: text, succeeded: yesNo, gasUsed: text, safe: yesNo, finalized: yesNo })),
  reason: orNull(reason),
  replayable: yesNo,
})

export const statusSchema = object({
  state,
  l1TxHash: text,
  l1: object({
    status: { type: 'string', enum: ['pool', 'included', 'reverted', 'missing'] },
    blockNumber: wholeOrNull,
    blockHash: textOrNull,
    timestamp: textOrNull,
    confirmations: whole,
    finalized: yesNo,
    reorged: yesNo,
  }),
  l2TxHash: textOrNull,
  l2TxHashes: { type: 'array', items: text },
  l2BlockNumber: wholeOrNull,
  deposits: { type: 'array', items: depositSchema },
  submittedAt: text,
  estimatedCompletionTime: textOrNull,
  reason: orNull(reason),
  stuck: yesNo,
  stuckReason: textOrNull,
  nextAction: object({ code: text, text }),
  asOf: text,
  stale: textOrNull,
})

export const withdrawalsSchema = object({
  l2TxHash: text,
  status: text,
  withdrawals: {
    type: 'array',
    items: object({
      status: text,
      withdrawalHash: textOrNull,
      l2BlockNumber: wholeOrNull,
      sender: textOrNull,
      target: textOrNull,
      value: textOrNull,
      text,
      nextStepTime: textOrNull,
      nextAction: object({ code: text, text }),
    }),
  },
  asOf: text,
})

export const errorSchema = object({ error: text, message: text, expected: text })
export const healthSchema = object({ ok: yesNo, reason: textOrNull, indexLagBlocks: whole })
