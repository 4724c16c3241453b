import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { after } from '../data/browser-clock.ts'
import { useConfig } from '../data/config.ts'
import type { TokenName } from '../data/index-types.ts'
import { useIndex } from '../data/use-index.ts'
import { goTo } from './location.ts'
import { searchPath, suggestionsOf } from './suggestions.ts'

/** Pause after the last key before the index is asked. */
const TYPING_MS = 200

/** Proposes contracts of this network and tokens whose symbol or name begins with what is typed. */
export function SearchBox() {
  const contracts = useConfig().contracts.l2
  const [typed, setTyped] = useState('')
  const suggestions = suggestionsOf(contracts, useTokensNamed(typed))
  const list = useId()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      input.current?.focus()
    }
    addEventListener('keydown', focus)
    return () => removeEventListener('keydown', focus)
  }, [])
  const search = (event: FormEvent) => {
    event.preventDefault()
    const text = input.current?.value.trim() ?? ''
    if (text === '') return
    goTo(searchPath(text, suggestions))
    if (input.current !== null) input.current.value = ''
    setTyped('')
    input.current?.blur()
  }
  return (
    <search className="search-box">
      <form onSubmit={search}>
        <input
          ref={input}
          type="search"
          name="q"
          aria-label="Search for a block, transaction, address or token"
          placeholder="Block, address or name"
          list={list}
          onInput={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
        />
        <datalist id={list}>
          {suggestions.map(({ value, label }) => (
            <option key={value} value={value} label={label} />
          ))}
        </datalist>
        <span className="search-key" aria-hidden="true">
          /
        </span>
      </form>
    </search>
  )
}

function useTokensNamed(typed: string): readonly TokenName[] {
  const [text, setText] = useState('')
  useEffect(() => after(TYPING_MS, () => setText(typed.trim())), [typed])
  const isName = text !== '' && !/^(0x|\d+$)/i.test(text)
  const { data } = useIndex<{ readonly items: readonly Found[] }>(isName ? `/search?q=${encodeURIComponent(text)}` : null)
  return data?.items.flatMap(({ token }) => token ?? []) ?? []
}

interface Found {
  readonly token?: TokenName
}
