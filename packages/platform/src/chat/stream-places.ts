/** Limits open streams per user and in total. */
export interface StreamPlaces {
  readonly open: number
  /** Returns the function that frees the place; null when there is none. */
  take(userId: number): (() => void) | null
}

export function createStreamPlaces(limits: { readonly ofUser: number; readonly all: number }): StreamPlaces {
  const ofUser = new Map<number, number>()
  let open = 0
  return {
    get open() {
      return open
    },
    take(userId) {
      const own = ofUser.get(userId) ?? 0
      if (own >= limits.ofUser || open >= limits.all) return null
      ofUser.set(userId, own + 1)
      open++
      let taken = true
      return () => {
        if (!taken) return
        taken = false
        open--
        const left = (ofUser.get(userId) ?? 1) - 1
        if (left === 0) ofUser.delete(userId)
        else ofUser.set(userId, left)
      }
    },
  }
}
