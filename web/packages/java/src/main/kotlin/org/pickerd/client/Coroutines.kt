// The client in coroutines. With nothing but Kotlin's own library, so that it works with every
// version of kotlinx.coroutines.

@file:JvmName("Coroutines")

package org.pickerd.client

import java.util.function.Consumer
import kotlin.coroutines.resume
import kotlin.coroutines.suspendCoroutine
import org.json.JSONObject

/**
 * Gives a command, and waits for its answer, as [PickerClient.give] with an answer: a `delta`, a
 * `reply`, a `refused`, or `lost`. Without a connection it waits until there is one.
 */
suspend fun PickerClient.answer(command: JSONObject): JSONObject =
  suspendCoroutine { next -> give(command, Consumer { next.resume(it) }) }

/** The state, as [PickerClient.read] reads it. After [PickerClient.close] it does not return. */
suspend fun PickerClient.state(): JSONObject =
  suspendCoroutine { next -> read(Consumer { next.resume(it) }) }
