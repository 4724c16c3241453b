import { type ClientQuota, type ClientQuotaLimits, createClientQuota } from './client-quota.ts'

export interface Refusal {
  readonly exhausted: 'places' | 'terms'
  readonly by: 'client' | 'total'
}

export class CriteriaQuota {
  readonly #places: ClientQuota
  readonly #terms: ClientQuota

  constructor(places: ClientQuotaLimits, terms: ClientQuotaLimits) {
    this.#places = createClientQuota(places)
    this.#terms = createClientQuota(terms)
  }

  /** Returns the release function, or the exhausted limit. */
  take(client: string | null, terms: number): (() => void) | Refusal {
    const place = this.#places.take(client, 1)
    if (place !== 'taken') return { exhausted: 'places', by: place }
    const taken = this.#terms.take(client, terms)
    if (taken !== 'taken') {
      this.#places.release(client, 1)
      return { exhausted: 'terms', by: taken }
    }
    return () => {
      this.#places.release(client, 1)
      this.#terms.release(client, terms)
    }
  }
}
