import {
  type BuiltPayload,
  blockToPayload,
  builtPayloadToJson,
  type Hash,
  type Header,
  type PayloadAttributes,
  parseData,
  parseHash,
  parseJsonArray,
  parseJsonObject,
  parsePayloadAttributesJson,
  parseQuantity64,
} from '@keelson/primitives'
import type { RpcMethods } from '@keelson/runtime'
import type { BlockBuilder } from '../builder/block-builder.ts'
import type { ChainReader } from '../chain/chain-reader.ts'
import type { ChainRules } from '../chain-rules.ts'
import { serverError } from '../rpc/errors.ts'
import { argument } from '../rpc/params.ts'

export interface OperatorMethodsDependencies {
  readonly builder: BlockBuilder
  readonly chain: ChainReader
  readonly rules: ChainRules
  readonly testingMethods: boolean
}

export function createOperatorMethods(deps: OperatorMethodsDependencies): RpcMethods {
  const { builder } = deps
  const limit = (params: readonly unknown[], index: number) => {
    const bytes = argument(params, index, (value) => parseQuantity64(value, 'size'))
    return bytes === 0n ? null : bytes
  }
  return {
    miner_setMaxDASize(params) {
      builder.setDaLimits({ maxTransactionBytes: limit(params, 0), maxBlockBytes: limit(params, 1) })
      return true
    },
    ...(deps.testingMethods ? testingMethods(deps) : {}),
  }
}

function testingMethods({ builder, chain, rules }: OperatorMethodsDependencies): RpcMethods {
  return {
    /** Parameters: parent hash, attributes, transactions (null: from the pool), extra data. */
    async testing_buildBlockV1(params) {
      const parentHash: Hash = argument(params, 0, parseHash)
      const parent = chain.header(parentHash)
      if (parent === null) throw serverError('unknown parent')
      const given = params[2] ?? null
      const transactions = given === null ? null : argument(params, 2, (list) => parseJsonArray(list, 'transactions', parseData))
      const extraData = params[3] === undefined || params[3] === null ? null : argument(params, 3, (value) => parseData(value, 'extraData'))
      const attributes = argument(params, 1, (value) => parseAttributes(value, parent, transactions))
      if (rules.limit?.refuses(attributes.timestampSec)) throw serverError(`this block cannot be built: ${rules.limit.sentence}`)
      const blockRules = rules.rulesAt({ number: parent.number + 1, timestampSec: attributes.timestampSec })
      const chosen = blockRules.extraDataVersion === null ? extraData : null
      const sealed = await builder.buildOnce({ hash: parentHash, header: parent }, attributes, chosen)
      if ('invalid' in sealed) throw serverError(sealed.invalid)
      const { block } = sealed.executed
      const payload = blockToPayload(block, blockRules.withdrawals === 'storage-root')
      const built: BuiltPayload = { ...payload, blockValueWei: sealed.blockValueWei }
      const { parentBeaconBlockRoot, ...json } = builtPayloadToJson(built, blockRules.requests === 'absent' ? 3 : 4)
      return json
    },
  }
}

const GAS_LIMIT_STEP_DIVISOR = 1_024n
const DESIRED_GAS_LIMIT = 60_000_000n

function parseAttributes(value: unknown, parent: Header, transactions: readonly Uint8Array[] | null): PayloadAttributes {
  const o = parseJsonObject(value, 'payload attributes')
  const gasLimit = o.gasLimit ?? `0x${stepToward(parent.gasLimit).toString(16)}`
  const attributes = parsePayloadAttributesJson({ ...o, gasLimit })
  if (transactions === null) return attributes
  return { ...attributes, transactions: [...attributes.transactions, ...transactions], noTxPool: true }
}

function stepToward(gasLimit: bigint): bigint {
  const step = gasLimit / GAS_LIMIT_STEP_DIVISOR - 1n
  if (gasLimit < DESIRED_GAS_LIMIT) return gasLimit + step < DESIRED_GAS_LIMIT ? gasLimit + step : DESIRED_GAS_LIMIT
  return gasLimit - step > DESIRED_GAS_LIMIT ? gasLimit - step : DESIRED_GAS_LIMIT
}
