import type { AnchorHTMLAttributes, MouseEvent } from 'react'
import { goTo } from './location.ts'

/** A link within the pages. */
export function Link({ href, onClick, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (event.defaultPrevented || !isPlain || rest.target !== undefined) return
    event.preventDefault()
    goTo(href)
  }
  return <a {...rest} href={href} onClick={follow} />
}
