/** Requests cannot widen the operator's policies. */
import { dirname, resolve } from 'node:path'
import { toAddress } from '@keelson/primitives'
import { z } from 'zod'
import { normalizeEmail } from '../../auth/email.ts'
import type { ChainConfig } from '../../market/chain/chain-config.ts'
import { Decimal } from '../../market/decimal.ts'
import { PlatformError } from '../../platform-error.ts'
import { EvmAddress } from '../../schemas/evm-input.ts'
import { normalizeToken } from '../evm-address.ts'
import { findMistakes } from './find-mistakes.ts'

const path = z.string().min(1).max(4_096)
const chainIds = z.array(z.int().positive()).min(1).max(32)
const usd = z
  .number()
  .positive()
  .transform((dollars) => new Decimal(dollars))
const bps = z.int().min(0).max(10_000)
const token = z.strictObject({ chainId: z.int(), address: EvmAddress.transform(normalizeToken) })
const contract = z.strictObject({ chainId: z.int(), address: EvmAddress.transform((text) => toAddress(text.toLowerCase())) })
const seconds = (min: number, max: number, otherwise: number) => z.number().min(min).max(max).default(otherwise)

const PolicyConfig = z.strictObject({
  enabled: z.boolean(),
  chainIds,
  tokens: z.array(token).max(256),
  contracts: z.array(contract).max(64),
  maxTradeUsd: usd,
  maxDailyUsd: usd,
  maxSlippageBps: bps,
  maxLossBps: bps,
})

const WalletConfig = z.strictObject({
  ref: z.string().regex(/^[A-Za-z0-9._-]{1,100}$/, 'expected 1 to 100 letters, digits and . _ -'),
  users: z.union(
    [
      z.literal('*'),
      z
        .array(z.union([z.email().transform(normalizeEmail), z.int().positive()]))
        .min(1)
        .max(10_000),
    ],
    {
      error: 'expected "*", or a list of e-mail addresses and numbers of users',
    },
  ),
  chainIds,
  /** EIP-2335, or Geth's version 3. */
  keystore: z.strictObject({ path, passwordFile: path }).optional(),
  remoteSigner: z
    .strictObject({ url: z.url({ protocol: /^https?$/ }), address: EvmAddress.transform((text) => toAddress(text.toLowerCase())) })
    .optional(),
  policy: PolicyConfig,
})

const WEI = /^\d{1,30}$/

const LimitsConfig = z
  .strictObject({
    /** Covers all transactions of one trade. */
    maxGasCostWei: z.string().regex(WEI, 'expected wei as digits in a text').default('10000000000000000').transform(BigInt),
    /** Limit per wallet and chain. */
    maxDailyGasWei: z.string().regex(WEI, 'expected wei as digits in a text').default('100000000000000000').transform(BigInt),
    /** After this a transaction can no longer trade. */
    deadlineSec: z.int().min(10).max(3_600).default(120),
    /** Counts the block that contains the trade. */
    confirmations: z.int().min(1).max(1_000).default(3),
    /** Maximum wait for the wallet's previous trade. */
    walletWaitSec: seconds(0, 25, 10),
    /** Maximum wait for confirmation before a response says `pending`. */
    answerWaitSec: seconds(0, 15, 8),
    /** Age at which a transaction is sent again with higher fees. */
    resubmitAfterSec: seconds(2, 600, 15),
  })
  .transform(({ walletWaitSec, answerWaitSec, resubmitAfterSec, ...limits }) => ({
    ...limits,
    walletWaitMs: walletWaitSec * 1_000,
    answerWaitMs: answerWaitSec * 1_000,
    resubmitAfterMs: resubmitAfterSec * 1_000,
  }))

export const TradingConfigSchema = z.strictObject({
  wallets: z.array(WalletConfig).min(1).max(1_000),
  stopFile: path.default('stop-trading'),
  limits: LimitsConfig.prefault({}),
})
export type TradingConfig = z.output<typeof TradingConfigSchema>
export type TradingConfigInput = z.input<typeof TradingConfigSchema>
export type WalletConfig = TradingConfig['wallets'][number]
export type TradingLimits = TradingConfig['limits']

/** Paths are relative to `file`. Throws PlatformError `platform/trading-config`, which names every wrong field and no value. */
export function parseTradingConfig(text: string, file: string, chains: readonly ChainConfig[]): TradingConfig {
  const refuse = (why: string) => new PlatformError('platform/trading-config', `${file} cannot be used: ${why}`, { file })
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw refuse('expected JSON')
  }
  const read = TradingConfigSchema.safeParse(json)
  if (!read.success) throw refuse(read.error.issues.map(({ path: at, message }) => `${at.join('.') || 'file'}: ${message}`).join('; '))
  const mistakes = findMistakes(read.data, chains)
  if (mistakes.length > 0) throw refuse(mistakes.join('; '))
  const inFolder = (name: string) => resolve(dirname(resolve(file)), name)
  return {
    ...read.data,
    stopFile: inFolder(read.data.stopFile),
    wallets: read.data.wallets.map((wallet) =>
      wallet.keystore === undefined
        ? wallet
        : { ...wallet, keystore: { path: inFolder(wallet.keystore.path), passwordFile: inFolder(wallet.keystore.passwordFile) } },
    ),
  }
}
