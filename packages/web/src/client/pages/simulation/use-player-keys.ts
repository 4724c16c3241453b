import { useEffect } from 'react'
import { type Player, SPEEDS } from './use-player.ts'

const MINUTE_FRAMES = 30

/** Keys of the page, which text fields and, for the space bar, buttons keep to themselves. */
export function usePlayerKeys({ toggle, step, speed, setSpeed }: Player, jumpToFault: (direction: 1 | -1) => void): void {
  useEffect(() => {
    const actions = new Map<string, (isShift: boolean) => void>([
      [' ', toggle],
      ['ArrowLeft', (isShift) => step(isShift ? -MINUTE_FRAMES : -1)],
      ['ArrowRight', (isShift) => step(isShift ? MINUTE_FRAMES : 1)],
      ['n', () => jumpToFault(1)],
      ['p', () => jumpToFault(-1)],
      ['+', () => setSpeed(SPEEDS.find((one) => one > speed) ?? speed)],
      ['-', () => setSpeed(SPEEDS.findLast((one) => one < speed) ?? speed)],
    ])
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !(event.target instanceof HTMLElement)) return
      const { tagName } = event.target
      const keepsSpace = event.key === ' ' && /^(BUTTON|A|SUMMARY)$/.test(tagName)
      const act = actions.get(event.key)
      if (/^(INPUT|SELECT|TEXTAREA)$/.test(tagName) || keepsSpace || act === undefined) return
      event.preventDefault()
      act(event.shiftKey)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [toggle, step, speed, setSpeed, jumpToFault])
}
