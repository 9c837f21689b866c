import { array, assert, constantFrom, integer, property, record } from 'fast-check'
import { expect, test } from 'vitest'
import { AGE_STEP_MS, FairQueue, OVERTAKE_EVERY, type Queueable } from './fair-queue.ts'
import { JOB_CLASSES, type JobClass, rankOf } from './job.ts'

function testQueue() {
  const queue = new FairQueue<Queueable>()
  let seq = 0
  const take = (nowMs = 0, isHeld?: (job: Queueable) => boolean) => {
    const job = queue.next(nowMs, isHeld)
    if (job !== undefined) queue.serve(job)
    return job
  }
  return {
    queue,
    take,
    add(clientId: string, jobClass: JobClass = 'order', arrivedMs = 0): Queueable {
      seq += 1
      const rank = rankOf(jobClass)
      const job = { seq, clientId, rank, arrivedMs }
      queue.insert(job)
      return job
    },
    takeAll: (nowMs = 0) => Array.from({ length: queue.size }, () => take(nowMs)),
  }
}

const clientsOf = (jobs: (Queueable | undefined)[]) => jobs.map((job) => job?.clientId).join('')

test('clients of a class take turns, however many jobs each has queued', () => {
  const { add, takeAll } = testQueue()
  for (const clientId of 'aaaaabbc') add(clientId)
  expect(clientsOf(takeAll())).toBe('abcabaaa')
})

test('a client that joins waits for one job of each other client', () => {
  const { add, take } = testQueue()
  for (const clientId of 'aaabbb') add(clientId)
  take()
  const fresh = add('c')
  expect([take(), take(), take()].indexOf(fresh)).toBeLessThanOrEqual(2)
})

test('a client that comes back after its last job takes the last place', () => {
  const { add, take, takeAll } = testQueue()
  for (const clientId of 'abb') add(clientId)
  take()
  add('a')
  expect(clientsOf(takeAll())).toBe('bab')
})

test('jobs of one client and class go as they came; one that was taken and comes back goes before the later ones', () => {
  const { queue, add, take, takeAll } = testQueue()
  const jobs = [add('a'), add('a'), add('a'), add('a')]
  const [first, second] = [take(), take()]
  expect([first, second]).toEqual(jobs.slice(0, 2))
  if (second !== undefined) queue.insert(second)
  if (first !== undefined) queue.insert(first)
  expect(takeAll()).toEqual(jobs)
})

test('a job that leaves without going takes no turn from its client', () => {
  const { queue, add, takeAll } = testQueue()
  const leaves = add('a')
  for (const clientId of 'abb') add(clientId)
  queue.remove(leaves)
  expect(clientsOf(takeAll())).toBe('abb')
})

test('an empty queue has nothing to give, and taking out what is not queued is an error', () => {
  const { queue, add, take } = testQueue()
  const job = add('a')
  take()
  expect(queue.next(0)).toBeUndefined()
  expect([...queue.inOrder(0, 500)]).toEqual([])
  expect(() => queue.remove(job)).toThrow('The job 1 is not queued')
})

test('four jobs in a row go before an aged job of a lesser class does', () => {
  const { add, take } = testQueue()
  const market = add('m', 'market')
  for (let i = 0; i < 20; i += 1) add('a', 'account')
  const taken = Array.from({ length: 10 }, () => take(AGE_STEP_MS))
  expect(taken.indexOf(market)).toBe(OVERTAKE_EVERY)
})

test('a job that is not old enough for the classes between overtakes nobody', () => {
  const { add, takeAll } = testQueue()
  const market = add('m', 'market')
  for (let i = 0; i < 20; i += 1) add('a', 'order')
  expect(takeAll(2 * AGE_STEP_MS - 1).indexOf(market)).toBe(20)
})

test('of two aged jobs the one goes that came first when each class counts as 15 s later', () => {
  const { add, takeAll } = testQueue()
  for (let i = 0; i < 8; i += 1) add('c', 'cancel')
  const order = add('o', 'order', AGE_STEP_MS + 1)
  const market = add('m', 'market', 0)
  const taken = takeAll(10 * AGE_STEP_MS)
  expect(taken.indexOf(order)).toBe(OVERTAKE_EVERY)
  expect(taken.indexOf(market)).toBe(2 * OVERTAKE_EVERY + 1)
})

test('a cancel that comes while aged orders are sent is the next to go', () => {
  const { add, take } = testQueue()
  for (let i = 0; i < 300; i += 1) add('o', 'order')
  add('m', 'market')
  for (let i = 0; i < 50; i += 1) {
    take(100_000)
    const cancel = add('c', 'cancel', 100_000)
    expect(take(100_000)).toBe(cancel)
  }
})

test('no class starves under a flood of every more urgent one', () => {
  const { add, take } = testQueue()
  const classes: JobClass[] = ['lookup', 'order', 'account', 'market']
  const waiting = new Set(classes.map((jobClass) => add('quiet', jobClass)))
  let slots = 0
  for (; waiting.size > 0 && slots < 10_000; slots += 1) {
    const nowMs = slots * 500
    for (const jobClass of ['cancel', 'lookup', 'order', 'account'] as const) {
      if (slots % 4 !== 3) add(`flood ${slots % 7}`, jobClass, nowMs)
    }
    const job = take(nowMs)
    if (job !== undefined) waiting.delete(job)
  }
  // 60 s until market data is old enough for cancels, then what came in the time that counts before
  // it.
  expect(slots).toBeLessThan(2500)
})

test('the queue counts exactly how many jobs go before the next job of a client', () => {
  const { queue, add } = testQueue()
  for (const clientId of 'aaaaabbbc') add(clientId)
  for (let i = 0; i < 3; i += 1) add('x', 'cancel')
  const order = rankOf('order')
  expect(queue.ahead(order, 'new', 500)).toBe(3 + 3)
  // The second of c goes after abcab, and the sixth of a last of all.
  expect(queue.ahead(order, 'c', 500)).toBe(3 + 5)
  expect(queue.ahead(order, 'a', 500)).toBe(3 + 9)
  expect(queue.ahead(rankOf('cancel'), 'new', 500)).toBe(1)
})

test('a lesser job beside a flood of another client gets the wait that ageing leaves it', () => {
  const { queue, add, take } = testQueue()
  for (let i = 0; i < 370; i += 1) add('flood', 'order')
  for (const jobClass of ['account', 'market'] as const) {
    const expected = queue.ahead(rankOf(jobClass), 'quiet', 500)
    const job = add('quiet', jobClass)
    let slots = 0
    while (take(slots * 500) !== job) slots += 1
    expect(slots).toBeLessThanOrEqual(expected)
    expect(slots).toBeGreaterThanOrEqual(expected - 5)
    for (; slots > 0; slots -= 1) add('flood', 'order')
  }
})

test('the counts follow what comes and goes', () => {
  const { queue, add, take } = testQueue()
  add('a', 'market', 7)
  add('a', 'order', 9)
  add('b', 'order', 8)
  expect(queue.sizes).toEqual([0, 0, 2, 0, 1])
  expect([queue.size, queue.sizeOf('a'), queue.sizeOf('z')]).toEqual([3, 2, 0])
  take()
  expect([...queue.sizeByClient]).toEqual([
    ['a', 1],
    ['b', 1],
  ])
  expect([...queue.inOrder(0, 500)].map(({ clientId }) => clientId)).toEqual(['b', 'a'])
})

test('the order in which jobs would go is the order in which they then go, whatever the mix', async () => {
  const jobs = array(
    record({
      clientId: constantFrom('a', 'b', 'c'),
      jobClass: constantFrom(...JOB_CLASSES),
      arrivedMs: integer({ min: 0, max: 90_000 }),
    }),
    { maxLength: 60 },
  )
  await assert(
    property(jobs, integer({ min: 0, max: 20 }), (list, taken) => {
      const { queue, add, take } = testQueue()
      for (const { clientId, jobClass, arrivedMs } of list) add(clientId, jobClass, arrivedMs)
      for (let i = 0; i < taken; i += 1) take(90_000)
      const expected = [...queue.inOrder(90_000, 500)]
      expect(expected).toEqual(expected.map((_, slot) => take(90_000 + slot * 500)))
      expect(queue.size).toBe(0)
    }),
  )
})

test('a new job goes after as many as were ahead of it, while nothing is old enough to overtake', async () => {
  const jobs = array(
    record({ clientId: constantFrom('a', 'b', 'c'), jobClass: constantFrom(...JOB_CLASSES) }),
    { maxLength: 25 },
  )
  await assert(
    property(
      jobs,
      constantFrom('a', 'b', 'c', 'new'),
      constantFrom(...JOB_CLASSES),
      (list, clientId, jobClass) => {
        const { queue, add } = testQueue()
        for (const job of list) add(job.clientId, job.jobClass)
        const ahead = queue.ahead(rankOf(jobClass), clientId, 500)
        const job = add(clientId, jobClass)
        expect([...queue.inOrder(0, 500)].indexOf(job)).toBe(ahead)
      },
    ),
  )
})

const isOf = (clientId: string) => (job: Queueable) => job.clientId === clientId

test('a held client is passed over and keeps its turn; the others take theirs as before', () => {
  const { add, take } = testQueue()
  for (const clientId of 'aaabbbcc') add(clientId)
  const passed = [1, 2, 3].map(() => take(0, isOf('a')))
  expect(clientsOf(passed)).toBe('bcb')
  expect(clientsOf([take(), take(), take()])).toBe('acb')
})

test('a held urgent job gives its slot to a less urgent class, and to an aged job', () => {
  const { queue, add, take } = testQueue()
  for (let n = 0; n < OVERTAKE_EVERY; n += 1) add('b', 'order')
  for (let n = 0; n < OVERTAKE_EVERY; n += 1) take()
  add('a', 'cancel')
  const young = add('b', 'order', AGE_STEP_MS)
  add('a', 'account')
  const aged = add('b', 'market')
  expect(queue.next(AGE_STEP_MS, isOf('a'))).toBe(young)
  expect(queue.next(2 * AGE_STEP_MS, isOf('a'))).toBe(aged)
})

test('when all that waits is held, nothing is next, and all of it stays', () => {
  const { queue, add } = testQueue()
  for (const clientId of 'aa') add(clientId)
  expect(queue.next(0, isOf('a'))).toBeUndefined()
  expect(queue.size).toBe(2)
})
