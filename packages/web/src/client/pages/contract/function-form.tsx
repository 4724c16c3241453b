import type { AbiEntry } from '@keelson/contracts'
import { encodeCall } from '@keelson/contracts/abi'
import { bytesToHex } from '@keelson/primitives'
import { type FormEvent, useState } from 'react'
import { type AbiDocument, declarationOf, signatureOf, typeOf } from '../../../shared/abi-document.ts'
import { readAbiText } from '../../data/abi/abi-text.ts'
import { type Decoded, decodeArguments } from '../../data/abi/decode.ts'
import { useConfig } from '../../data/config.ts'
import { RpcRefusal, rpc } from '../../data/rpc.ts'
import { useAbis } from '../../data/use-abis.ts'
import { findWallet, sendWithWallet, walletAddress, walletWords } from '../../data/wallet/wallet.ts'
import { Command } from '../../parts/command/command.tsx'
import { DataBlock } from '../../parts/data-block.tsx'
import { DecodedParts } from '../../parts/decoded.tsx'
import { TransactionLink } from '../../parts/hashes/hash.tsx'
import { RevertView } from '../../parts/revert-view.tsx'
import { castCommand } from './contract-commands.ts'
import { useContractPlace } from './use-contract-place.ts'

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
  | { readonly kind: 'reverted'; readonly data: string; readonly words: string }

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
  const place = useContractPlace(address)

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
      return error instanceof RpcRefusal ? refusedBy(error) : { kind: 'trouble', words: walletWords(error) }
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
      setOutcome(refusedBy(error))
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
      <Command text={castCommand(place, entry, isRead)} />
      {outcome !== null && <OutcomeLine outcome={outcome} address={address} errors={errors} />}
    </details>
  )
}

interface OutcomeLineProps {
  readonly outcome: Outcome
  readonly address: string
  readonly errors: AbiDocument
}

/** A contract may pass on the error of another one, so declarations that everybody knows follow its own. */
function OutcomeLine({ outcome, address, errors }: OutcomeLineProps) {
  const known = useAbis()
  return (
    <div className="call-result" role="status">
      {outcome.kind === 'trouble' ? (
        <span className="bad-text">{outcome.words}</span>
      ) : outcome.kind === 'reverted' ? (
        <span className="bad-text">
          Reverted: <RevertView data={outcome.data} abis={[errors, known]} contract={address} otherwise={outcome.words} />
        </span>
      ) : outcome.kind === 'sent' ? (
        <>
          Sent: <TransactionLink hash={outcome.hash} />
        </>
      ) : outcome.decoded === null ? (
        <DataBlock hex={outcome.hex} />
      ) : (
        <DecodedParts decoded={outcome.decoded} contract={address} />
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

/** The node sends what a reverted call returned beside its words. */
function refusedBy(error: unknown): Outcome {
  const words = error instanceof Error ? error.message : String(error)
  const data = error instanceof RpcRefusal && typeof error.data === 'string' ? error.data : '0x'
  return data === '0x' ? { kind: 'trouble', words } : { kind: 'reverted', data, words }
}
