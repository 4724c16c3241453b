/** BIP 141, 144 */
import { hexToBytes, isHex, messageOf } from '@keelson/primitives'
import { crypto, Transaction } from 'bitcoinjs-lib'
import { type DecodedTx, type DecodeTxRequest, MAX_RAW_TX_BYTES } from '../../schemas/bitcoin.ts'
import { formatAmount } from '../decimal.ts'
import { problem, succeeded, type ToolOutcome } from '../tool-outcome.ts'
import { addressOf, bareHex, classifyScript, scriptAsm } from './scripts.ts'

const MAX_MONEY_SATS = 2_100_000_000_000_000n
const BTC_DECIMALS = 8
/** Bounds the work; nodes relay far smaller transactions. */
const MAX_PARTS = 10_000
/** A lower sequence signals that the transaction may be replaced. */
const FIRST_FINAL_SEQUENCE = 0xfffffffe

export function decodeBitcoinTx({ raw_tx, network = 'mainnet' }: DecodeTxRequest): ToolOutcome<DecodedTx> {
  const hex = `0x${raw_tx.trim().toLowerCase().replace(/^0x/, '')}`
  if (!isHex(hex) || hex.length === 2) return problem('invalid', 'raw_tx: expected the transaction as hex digits, two a byte')
  const bytes = hexToBytes(hex)
  if (bytes.length > MAX_RAW_TX_BYTES) return problem('invalid', `raw_tx: expected at most ${MAX_RAW_TX_BYTES} bytes, got ${bytes.length}`)
  const tx = parse(bytes)
  if (typeof tx === 'string') return problem('invalid', `raw_tx: no bitcoin transaction: ${tx}`)
  if (tx.ins.length === 0) return problem('invalid', 'raw_tx: no bitcoin transaction: it has no inputs')
  const parts = tx.ins.reduce((sum, { witness }) => sum + witness.length, tx.ins.length + tx.outs.length)
  if (parts > MAX_PARTS)
    return problem('invalid', `raw_tx: expected at most ${MAX_PARTS} inputs, outputs and witness items together, got ${parts}`)
  let total = 0n
  for (const [n, { value }] of tx.outs.entries()) {
    total += value
    if (value < 0n || total > MAX_MONEY_SATS) {
      return problem('invalid', `raw_tx: output ${n}: expected values of 0 to ${MAX_MONEY_SATS} satoshis in all, got ${value}`)
    }
  }
  const coinbase = tx.isCoinbase()
  return succeeded({
    txid: tx.getId(),
    // the library returns zero for a coinbase
    wtxid: displayed(crypto.hash256(tx.toBuffer())),
    version: tx.version,
    locktime: tx.locktime,
    segwit: tx.hasWitnesses(),
    coinbase,
    replaceable: !coinbase && tx.ins.some(({ sequence }) => sequence < FIRST_FINAL_SEQUENCE),
    size: tx.byteLength(),
    virtual_size: tx.virtualSize(),
    weight: tx.weight(),
    inputs: tx.ins.map(({ hash, index, script, sequence, witness }) => ({
      txid: coinbase ? null : displayed(hash),
      vout: coinbase ? null : index,
      script_sig: { hex: bareHex(script), asm: coinbase ? null : scriptAsm(script) },
      sequence,
      witness: witness.map(bareHex),
    })),
    outputs: tx.outs.map(({ value, script }, n) => {
      const form = classifyScript(script)
      return {
        n,
        value_sats: value.toString(),
        value_btc: formatAmount(value, BTC_DECIMALS),
        script_pubkey: { hex: bareHex(script), asm: scriptAsm(script) },
        type: form.type,
        address: addressOf(form, network),
      }
    }),
    total_output_sats: total.toString(),
  })
}

function parse(bytes: Uint8Array): Transaction | string {
  try {
    return Transaction.fromBuffer(bytes)
  } catch (error) {
    const said = messageOf(error)
    return /bounds|out of range/i.test(said) ? `it ends after ${bytes.length} bytes, before it is complete` : said
  }
}

/** Bitcoin displays hashes in reverse byte order. */
function displayed(hash: Uint8Array): string {
  return bareHex(hash.slice().reverse())
}
