import { type FormEvent, useEffect, useRef } from 'react'
import { isAddress, isHash, isHeight } from '../format/hex.ts'
import { goTo } from './location.ts'

/** Heights and addresses lead to their page at once; everything else is searched for. */
export function SearchBox() {
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
    goTo(pathOf(text))
    if (input.current !== null) input.current.value = ''
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
          placeholder="Block, transaction, address, token"
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
        />
        <span className="search-key" aria-hidden="true">
          /
        </span>
      </form>
    </search>
  )
}

function pathOf(text: string): string {
  const height = text.replace(/[,\s#]/g, '')
  if (isHeight(height)) return `/block/${height}`
  if (isAddress(text)) return `/address/${text}`
  return isHash(text) ? `/find/${text}` : `/search?q=${encodeURIComponent(text)}`
}
