import type { AbiEntry } from '@keelson/contracts'
import { encodeCall } from '@keelson/contracts/abi'
import { bytesToHex } from '@keelson/primitives'
import { type FormEvent, useState } from 'react'
import { type AbiDocument, declarationOf, signatureOf, typeOf } from '../../../shared/abi-document.ts'
import { readAbiText } from '../../data/abi-text.ts'
import { useConfig } from '../../data/config.ts'
import { type Decoded, decodeArguments, decodeError, valueText } from '../../data/decode.ts'
import { RpcRefusal, rpc } from '../../data/rpc.ts'
import { findWallet, sendWithWallet, walletAddress, walletWords } from '../../data/wallet/wallet.ts'
import { DataBlock } from '../../parts/data-block.tsx'
import { DecodedParts } from '../../parts/decoded.tsx'
import { TransactionLink } from '../../parts/hash.tsx'

export interface FunctionFormProps {
  readonly address: string
  readonly entry: AbiEntry
  readonly isRead: boolean
  readonly errors: AbiDocument
}

type Outcome =
  | { readonly kind: 'values'; readonly decoded: Decoded | null; readonly hex: string }
  | { readonly kind: 'sent'; readonly hash: string }
  | { readonly kind: 'trouble'; readonly words: string }

/** Reads with eth_call; writes through the wallet that the browser injects. */
export function FunctionForm({ address, entry, isRead, errors }: FunctionFormProps) {
  const config = useConfig()
  const { name = '', inputs = [], outputs = [] } = entry
  const [texts, setTexts] = useState<readonly string[]>(inputs.map(() => ''))
  const [value, setValue] = useState('0')
  const [isBusy, setIsBusy] = useState(false)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const isPayable = entry.stateMutability === 'payable'
  const signature = signatureOf(entry)

  const call = async (data: string): Promise<Outcome> => {
    const hex = await rpc<string>('eth_call', [{ to: address, data }, 'latest'])
    return { kind: 'values', hex, decoded: decodeArguments(declarationOf({ name, inputs: outputs }), hex) }
  }
  const write = async (data: string, valueWei: bigint): Promise<Outcome> => {
    const wallet = findWallet()
    if (wallet === null) return { kind: 'trouble', words: 'This browser has no wallet. Install one to write to the contract.' }
    try {
      const from = await walletAddress(wallet)
      await rpc('eth_estimateGas', [{ from, to: address, data, value: `0x${valueWei.toString(16)}` }])
      return { kind: 'sent', hash: await sendWithWallet(wallet, { from, to: address, data, valueWei }, config.l2.chainId, config) }
    } catch (error) {
      return { kind: 'trouble', words: error instanceof RpcRefusal ? reasonIn(error, errors) : walletWords(error) }
    }
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setIsBusy(true)
    try {
      const values = inputs.map((input, i) => named(input.name || `parameter ${i + 1}`, () => readAbiText(typeOf(input), texts[i] ?? '')))
      const data = bytesToHex(encodeCall(signature, values))
      const valueWei = isPayable ? named('value', () => readAbiText('uint256', value) as bigint) : 0n
      setOutcome(isRead ? await call(data) : await write(data, valueWei))
    } catch (error) {
      setOutcome({ kind: 'trouble', words: reasonIn(error, errors) })
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <details>
      <summary>
        <code>{declarationOf(entry)}</code>
      </summary>
      <form className="function-form" onSubmit={(event) => void submit(event)}>
        {inputs.map((input, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parameters may lack names and never move
          <label key={i}>
            {input.name || `parameter ${i + 1}`} <span className="muted">{typeOf(input)}</span>
            <input
              className="text-input hex"
              value={texts[i] ?? ''}
              onChange={(event) => setTexts(texts.map((text, at) => (at === i ? event.target.value : text)))}
              spellCheck={false}
              autoComplete="off"
            />
          </label>
        ))}
        {isPayable && (
          <label>
            Value in wei
            <input className="text-input hex" value={value} onChange={(event) => setValue(event.target.value)} />
          </label>
        )}
        <button type="submit" className="button is-plain" disabled={isBusy}>
          {isRead ? 'Read' : 'Write with my wallet'}
        </button>
      </form>
      {outcome !== null && <OutcomeLine outcome={outcome} />}
    </details>
  )
}

function OutcomeLine({ outcome }: { readonly outcome: Outcome }) {
  return (
    <div className="call-result" role="status">
      {outcome.kind === 'trouble' ? (
        <span className="bad-text">{outcome.words}</span>
      ) : outcome.kind === 'sent' ? (
        <>
          Sent: <TransactionLink hash={outcome.hash} />
        </>
      ) : outcome.decoded === null ? (
        <DataBlock hex={outcome.hex} />
      ) : (
        <DecodedParts decoded={outcome.decoded} />
      )}
    </div>
  )
}

function named<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function reasonIn(error: unknown, errors: AbiDocument): string {
  const data = error instanceof RpcRefusal && typeof error.data === 'string' ? error.data : '0x'
  const decoded = decodeError(data, errors)
  if (decoded !== null) return `Reverted: ${decoded.name}(${decoded.values.map(({ value }) => valueText(value)).join(', ')})`
  return error instanceof Error ? error.message : String(error)
}
