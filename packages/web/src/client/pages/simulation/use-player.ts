import { useEffect, useState } from 'react'
import type { Frame } from '../../../shared/recording/index.ts'
import { frameIndexAt } from './playback.ts'

/** Simulated seconds in a real one. */
export const SPEEDS = [1, 10, 30, 60, 300, 1_800] as const
const FIRST_SPEED = 60

export interface Player {
  readonly index: number
  readonly isPlaying: boolean
  readonly speed: number
  toggle(): void
  /** Moves by frames, and pauses. */
  step(frames: number): void
  /** Shows the first frame that is not earlier. */
  jump(atMs: number): void
  setSpeed(speed: number): void
}

export function usePlayer(frames: readonly Frame[], playsAtOnce: boolean): Player {
  const endMs = frames.at(-1)?.atMs ?? 0
  const [atMs, setAtMs] = useState(frames[0]?.atMs ?? 0)
  const [wantsToPlay, setWantsToPlay] = useState(playsAtOnce)
  const [speed, setSpeed] = useState(FIRST_SPEED)
  const isPlaying = wantsToPlay && atMs < endMs
  useEffect(() => {
    if (!isPlaying) return
    let before: number | null = null
    const play = (realMs: number) => {
      const passedMs = before === null ? 0 : realMs - before
      before = realMs
      setAtMs((now) => Math.min(endMs, now + passedMs * speed))
      request = requestAnimationFrame(play)
    }
    let request = requestAnimationFrame(play)
    return () => cancelAnimationFrame(request)
  }, [isPlaying, speed, endMs])
  const index = frameIndexAt(frames, atMs)
  const show = (wanted: number) => setAtMs(frames[Math.min(frames.length - 1, Math.max(0, wanted))]?.atMs ?? 0)
  return {
    index,
    isPlaying,
    speed,
    toggle() {
      if (!isPlaying && atMs >= endMs) show(0)
      setWantsToPlay(!isPlaying)
    },
    step(by) {
      setWantsToPlay(false)
      show(index + by)
    },
    jump(to) {
      const found = frameIndexAt(frames, to)
      show((frames[found]?.atMs ?? 0) < to ? found + 1 : found)
    },
    setSpeed,
  }
}
