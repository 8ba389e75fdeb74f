package org.pickerd.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import org.json.JSONArray;
import org.json.JSONException;
import org.json.JSONObject;

/**
 * A member of a session of pickerd: joins, folds what the server sends, gives commands, and
 * survives lost connections and restarts.
 *
 * <pre>
 * PickerClient client = new PickerClient("wss://pick.example.org/v1/sessions/ID", "Mia", events)
 *     .file(Path.of("me.json")).start();
 * client.give(new JSONObject().put("type", "tap").put("date", "2026-11-20"));
 * </pre>
 *
 * All methods may be called on any thread. Fields are used on one thread only, {@code loop}, on
 * which {@link Events} are called, too.
 */
public final class PickerClient {
  /** What a client reports, on its own thread; a method must not block. */
  public interface Events {
    /** The state has changed: {@link PickerClient#read} it. */
    default void changed() { }

    /**
     * A command was refused.
     *
     * @param refusal with {@code code}, {@code detail} and, if it was sent, {@code ref}
     */
    default void refused(JSONObject refusal) { }

    /**
     * The rows that a command {@code find} has found.
     *
     * @param found with {@code id}, {@code generation}, {@code rows} and {@code more}
     */
    default void found(JSONObject found) { }

    /**
     * The client does not connect again by itself.
     *
     * @param code the close code of the server; 4400 for a refused handshake, 0 without a token
     */
    default void ended(int code) { }

    /**
     * A message that cannot be folded, a file that cannot be written, or a token that cannot be
     * had: the client connects again.
     *
     * @param problem what went wrong
     */
    default void failed(Exception problem) { }
  }


  private static final List<String> ANSWERS = List.of("delta", "reply", "refused");
  /** Commands that are refused if somebody else has changed what their author saw. */
  private static final List<String> LATE =
      List.of("set", "clear", "undo", "redo", "confirm", "cancel", "reopen", "hold");

  /** After {@link #close} it does nothing more. */
  private final ScheduledThreadPoolExecutor loop =
      new ScheduledThreadPoolExecutor(1, new ThreadPoolExecutor.DiscardPolicy());
  private final String url;
  private final String name;
  private final Events events;
  /** A connection whose pong is missing after 20 s is dead: then OkHttp calls onFailure. */
  private OkHttpClient http;
  private boolean isOwnHttp;
  private Path file;
  private Supplier<String> token;
  /** The token of the current connection. */
  private String current;
  /** In the file: me, epoch, revision, state, ref, the greatest one sent, unanswered commands. */
  private JSONObject stored = new JSONObject();
  /** Commands that were given before the first welcome, when their user had seen nothing. */
  private final List<JSONObject> early = new ArrayList<>();
  /** Who waits for the answer to a command; guarded by itself, for `give` on any thread. */
  private final Map<JSONObject, Consumer<JSONObject>> answers = new IdentityHashMap<>();
  /** The commands of these that the loop has got. */
  private final Set<JSONObject> taken = Collections.newSetFromMap(new IdentityHashMap<>());
  private boolean isClosed;
  /** The id of the next `find` without one, which its answer has. */
  private int finds;
  private WebSocket socket;
  /** The number of the connection: events of earlier ones are ignored. */
  private int connection;
  private int attempt;
  /** Whether the last connection was closed with 4301. */
  private boolean isRejected;
  /** Whether the next join is that of a new member, because the member's secret may be wrong. */
  private boolean joinsAsNew;
  /** Whether commands can be sent: from the welcome to the end of a connection. */
  private boolean isJoined;
  /** The reconnect delay of `draining` in milliseconds; -1 without one. */
  private long drainMilliseconds = -1;

  /**
   * A client that is not started yet.
   *
   * @param url the address of the session, {@code ws://} or {@code wss://}
   * @param name the name that other members see, 1 to 64 characters
   * @param events what it reports
   */
  public PickerClient(String url, String name, Events events) {
    this.url = url;
    this.name = name;
    this.events = events;
  }

  /**
   * Stores the member and the unanswered commands, so that a restarted program continues.
   *
   * @param path a file of this session's own; it has the member's secret
   * @return this client
   */
  public PickerClient file(Path path) {
    file = path;
    return this;
  }

  /**
   * For a server with {@code --auth token} or {@code keys:}.
   *
   * @param supplier returns the current token, or null if the user has no access any more, which
   *     ends the client; called on the client's thread for each connection, and may block
   * @return this client
   */
  public PickerClient token(Supplier<String> supplier) {
    token = supplier;
    return this;
  }

  /**
   * Uses an OkHttp client of the application, with its proxy and certificates.
   *
   * @param client should have a {@code pingInterval}; default: one of its own, with 20 s
   * @return this client
   */
  public PickerClient http(OkHttpClient client) {
    http = client;
    return this;
  }

  /**
   * Connects, and connects again until {@link #close}.
   *
   * @return this client
   * @throws IOException if the file cannot be read
   * @throws JSONException if the file is not one of a client
   */
  public PickerClient start() throws IOException, JSONException {
    stored.put("revision", 0).put("ref", 0).put("queue", new JSONArray());
    if (file != null && Files.exists(file)) {
      stored = new JSONObject(new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
    }
    if (!stored.has("sent")) stored.put("sent", stored.get("ref"));
    isOwnHttp = http == null;
    if (isOwnHttp) http = new OkHttpClient.Builder().pingInterval(20, TimeUnit.SECONDS).build();
    post(this::connect);
    return this;
  }

  /** Ends the connection and the client; the member can join again with the same file. */
  public void close() {
    post(() -> {
      connection++;  // What the connection still reports is ignored.
      List<JSONObject> lost;
      synchronized (answers) {
        isClosed = true;
        lost = new ArrayList<>(answers.keySet());
      }
      for (JSONObject command : lost) report(command, lostMessage());
      if (socket != null) socket.close(1000, null);
      loop.shutdownNow();
      if (isOwnHttp) http.dispatcher().executorService().shutdown();
    });
  }

  /**
   * Gives a command; those that the server must answer are stored until then.
   *
   * @param command without {@code ref}, such as {@code {"type":"tap","date":"2026-11-20"}},
   *     {@code {"type":"select","column":0,"row":3}} or
   *     {@code {"type":"find","column":0,"text":"mun"}}
   */
  public void give(JSONObject command) {
    give(command, null);
  }

  /**
   * Gives a command, and reports its answer.
   *
   * @param command as for {@link #give(JSONObject)}
   * @param answer called once, on the client's thread, with the server's {@code delta},
   *     {@code reply}, {@code refused} or {@code found}, or with {@code {"type":"lost"}}: the
   *     outcome is unknown, or the client was closed, if before this call on the caller's thread;
   *     null: nobody waits
   */
  public void give(JSONObject command, Consumer<JSONObject> answer) {
    JSONObject own;
    try {
      own = new JSONObject(command.toString());
    } catch (JSONException problem) {
      throw new IllegalArgumentException(problem);
    }
    boolean isLate;
    synchronized (answers) {
      isLate = isClosed;
      if (answer != null && !isLate) answers.put(own, answer);
    }
    if (isLate && answer != null) answer.accept(lostMessage());
    post(() -> {
      if (answer != null) taken.add(own);
      try {
        switch (own.getString("type")) {
          case "select": select(own); break;
          case "rename": rename(own); break;
          case "find": find(own); break;
          default: enqueue(own);
        }
      } catch (JSONException problem) {  // A field is missing.
        refuse(own, "badMessage", problem.getMessage());
      }
    });
  }

  private static JSONObject lostMessage() {
    return new JSONObject(Map.of("type", "lost"));
  }

  /** Reports the answer to a command, if somebody waits for it. */
  private void report(JSONObject command, JSONObject message) {
    taken.remove(command);
    Consumer<JSONObject> answer;
    synchronized (answers) {
      answer = answers.remove(command);
    }
    if (answer == null) return;
    try {
      answer.accept(message);
    } catch (RuntimeException problem) {  // The connection goes on.
      events.failed(problem);
    }
  }

  /** Reports the commands without an answer that wait neither for a welcome nor in the queue. */
  private void reportLost() {
    List<JSONObject> lost = new ArrayList<>(taken);
    lost.removeIf(command -> early.stream().anyMatch(one -> one == command));
    JSONArray queue = stored.optJSONArray("queue");
    for (int index = 0; index < queue.length(); index++) {
      JSONObject waiting = queue.optJSONObject(index);
      lost.removeIf(command -> command == waiting);
    }
    for (JSONObject command : lost) report(command, lostMessage());
  }

  /**
   * Reads the state. After {@link #close} the reader is not called.
   *
   * @param reader called on the client's thread with a copy: the server's snapshot as of
   *     {@code revision}, with {@code role} and {@code name} of this member, and the number of
   *     {@code unanswered} commands; before the first welcome without a snapshot
   */
  public void read(Consumer<JSONObject> reader) {
    post(() -> {
      JSONObject state = stored.optJSONObject("state"), me = stored.optJSONObject("me");
      JSONObject shown = state == null ? new JSONObject() : new JSONObject(state.toString());
      if (me != null) shown.put("role", me.get("role")).put("name", me.get("name"));
      shown.put("revision", stored.get("revision"));
      int unanswered = stored.getJSONArray("queue").length() + early.size();
      reader.accept(shown.put("unanswered", unanswered));
    });
  }

  private interface Step {
    void run() throws Exception;
  }

  /** Runs a step on the loop's thread. An invalid message must not stop the loop. */
  private void post(Step step) {
    loop.execute(() -> {
      try {
        step.run();
      } catch (Exception problem) {
        events.failed(problem);
        drop();
      }
    });
  }

  /** Writes the stored values to the file atomically. */
  private void save() throws IOException {
    if (file == null) return;
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.write(fresh, stored.toString().getBytes(StandardCharsets.UTF_8));
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  // The connection.

  private void connect() {
    if (token != null && !joinsAsNew) current = token.get();
    if (token != null && current == null) {
      events.ended(0);
      return;
    }
    Request request = new Request.Builder().url(url)
        .header("Sec-WebSocket-Protocol", "pickerd.v1").build();
    socket = http.newWebSocket(request, new Listener(++connection));
  }

  private JSONObject join() throws JSONException {
    JSONObject join = new JSONObject().put("type", "join").put("name", name);
    if (current != null) join.put("token", current);
    JSONObject me = stored.optJSONObject("me");
    if (me == null) return join;
    join.put("name", me.get("name"));  // Used if the server has to create a new member.
    if (joinsAsNew) return join;
    return join.put("resume", new JSONObject()
        .put("member", me.get("id")).put("secret", me.get("secret"))
        .put("epoch", stored.get("epoch")).put("revision", stored.get("revision")));
  }

  private void send(JSONObject message) {
    socket.send(message.toString());
  }

  private void drop() {
    if (socket != null) socket.cancel();
    lost(connection, 1006);
  }

  private void lost(int number, int code) {
    if (number != connection) return;
    connection++;
    isJoined = false;
    socket = null;
    reportLost();  // Rows that were to be found: nobody asks again.
    // A second 4301: the member's secret may be wrong. Tries the token once without it.
    joinsAsNew = code == 4301 && isRejected && !joinsAsNew && stored.has("me");
    isRejected = code == 4301;
    // The token is rejected, expired or revoked: resumes with a new one.
    boolean needsToken = (code == 4301 || code == 4302 || code == 4403) && token != null;
    boolean isFinal = code == 1002 || code == 1003 || code == 1007 || code == 1009
        || code >= 4300 && code < 4500;
    // 43xx needs new credentials; 44xx and protocol errors are final.
    if (isFinal && !needsToken) {
      events.ended(code);
      return;
    }
    long backOff = ThreadLocalRandom.current().nextLong(
        Math.min(30_000, 1_000L << Math.min(attempt++, 5)));
    long wait = joinsAsNew ? 0 : drainMilliseconds >= 0 ? drainMilliseconds : backOff;
    drainMilliseconds = -1;
    loop.schedule(() -> post(this::connect), wait, TimeUnit.MILLISECONDS);
  }

  /** OkHttp calls these on its own threads. */
  private class Listener extends WebSocketListener {
    private final int number;

    Listener(int number) {
      this.number = number;
    }

    @Override
    public void onOpen(WebSocket socket, Response response) {
      post(() -> {
        if (number == connection) send(join());
      });
    }

    @Override
    public void onMessage(WebSocket socket, String text) {
      post(() -> {
        if (number == connection) receive(new JSONObject(text));
      });
    }

    @Override
    public void onClosing(WebSocket socket, int code, String reason) {
      socket.close(1000, null);
      post(() -> lost(number, code));
    }

    /** A lost connection or, with a response, a refused handshake: final, except 429 and 5xx. */
    @Override
    public void onFailure(WebSocket socket, Throwable problem, Response response) {
      int status = response == null ? 0 : response.code();
      post(() -> lost(number, status < 400 || status == 429 || status >= 500 ? 1006 : 4400));
    }
  }

  // The messages of the server.

  private void receive(JSONObject message) throws Exception {
    String type = message.getString("type");
    switch (type) {
      case "welcome":
        welcome(message);
        break;
      case "snapshot":
        stored.put("revision", message.getLong("revision")).put("state", message.get("snapshot"));
        updateRole(message.optJSONArray("members"));
        break;
      case "delta":
        if (message.getLong("revision") != stored.getLong("revision") + 1) {
          drop();  // A gap: resuming sends the missing deltas.
          return;
        }
        stored.put("revision", message.getLong("revision"));
        fold(message.getJSONArray("changes"));
        break;
      case "refused":
        if (message.getString("code").equals("tooMany")) {  // Not done; a later one may have been.
          JSONObject command = answered(message.optLong("ref"));
          if (command != null) {
            boolean isAwaited = taken.remove(command);
            loop.schedule(() -> post(() -> {
              if (isAwaited) taken.add(command);
              enqueue(command);
            }), 1, TimeUnit.SECONDS);
          }
        } else {
          events.refused(message);
        }
        fold(message.getJSONArray("changes"));
        break;
      case "found":
        for (JSONObject command : new ArrayList<>(taken)) {
          if (command.optInt("id", -1) == message.optInt("id")) report(command, message);
        }
        events.found(message);
        break;
      case "presence":
        updateRole(message.optJSONArray("changed"));
        break;
      case "draining":
        drainMilliseconds = message.getLong("reconnectAfterMs");
        break;
      default:  // From a newer server, or not needed here: reply, months, rows, error.
    }
    if (ANSWERS.contains(type) && message.has("ref")) {
      JSONObject command = answered(message.getLong("ref"));
      if (command != null) report(command, message);
      if (type.equals("reply") && command != null && command.getString("type").equals("rename")) {
        stored.getJSONObject("me").put("name", command.get("name"));  // Others receive `changed`.
      }
    }
    save();
    events.changed();
  }

  private void welcome(JSONObject message) throws Exception {
    attempt = 0;
    isRejected = false;
    isJoined = true;
    JSONObject member = message.getJSONObject("member"), before = stored.optJSONObject("me");
    if (before != null && !before.getString("id").equals(member.getString("id"))) {
      stored.put("queue", new JSONArray());  // Another member: their outcome is unknown.
    }
    boolean isSameEpoch = message.getString("epoch").equals(stored.optString("epoch"));
    stored.put("me", member).put("epoch", message.get("epoch"));
    startAfter(message.optLong("ref"), isSameEpoch);
    stored.put("revision", message.getLong("revision"));
    if (message.has("snapshot")) stored.put("state", message.get("snapshot"));  // Not when resumed.
    resend();  // Each is done only once.
    for (JSONObject command : early) enqueue(command);
    early.clear();
    reportLost();
  }

  /**
   * Continues after the greatest ref that the server knows. If it is greater than all that were
   * sent, another device of this member may have used the refs of our commands: the outcome of
   * those that were sent is unknown, and the others get new refs. In another epoch, commands with
   * `at` are dropped: it is a revision of other history.
   */
  private void startAfter(long known, boolean isSameEpoch) throws JSONException {
    long sent = stored.getLong("sent");
    JSONArray rest = new JSONArray(), queue = stored.getJSONArray("queue");
    for (int index = 0; index < queue.length(); index++) {
      JSONObject command = queue.getJSONObject(index);
      boolean isUnknown = known > sent && command.getLong("ref") <= sent;
      if (!isUnknown && (isSameEpoch || !command.has("at"))) rest.put(command);
    }
    stored.put("queue", rest).put("ref", Math.max(stored.getLong("ref"), known));
    JSONObject first = rest.optJSONObject(0);
    long next = first == null ? 0 : first.getLong("ref");
    for (int index = 0; sent < next && next <= known && index < rest.length(); index++) {
      stored.put("ref", stored.getLong("ref") + 1);
      rest.getJSONObject(index).put("ref", stored.getLong("ref"));
    }
  }

  /** Sends all unanswered commands again. */
  private void resend() throws Exception {
    JSONArray queue = stored.getJSONArray("queue");
    for (int index = 0; index < queue.length(); index++) {
      sendQueued(queue.getJSONObject(index), false);
    }
  }

  /** Saves before sending: after a crash the command counts as sent, and its ref as used. */
  private void sendQueued(JSONObject command, boolean isNew) throws Exception {
    stored.put("sent", Math.max(stored.getLong("sent"), command.getLong("ref")));
    save();
    JSONObject message = new JSONObject(command.toString());
    if (isNew) message.remove("hits");  // A tap that is sent at once needs no hits.
    send(message);
  }

  /** Removes a command from the queue, and returns it; null if it is not there. */
  private JSONObject answered(long ref) throws JSONException {
    JSONArray rest = new JSONArray(), queue = stored.getJSONArray("queue");
    JSONObject found = null;
    for (int index = 0; index < queue.length(); index++) {
      JSONObject command = queue.getJSONObject(index);
      if (command.getLong("ref") == ref) found = command;
      else rest.put(command);
    }
    stored.put("queue", rest);
    return found;
  }

  /** About itself a member receives only its role. */
  private void updateRole(JSONArray members) throws JSONException {
    JSONObject me = stored.getJSONObject("me");
    for (int index = 0; members != null && index < members.length(); index++) {
      JSONObject member = members.getJSONObject(index);
      if (member.getString("id").equals(me.getString("id"))) me.put("role", member.get("role"));
    }
  }

  private void fold(JSONArray changes) throws JSONException {
    for (int index = 0; index < changes.length(); index++) fold(changes.getJSONObject(index));
  }

  private void fold(JSONObject change) throws JSONException {
    JSONObject state = stored.getJSONObject("state");
    switch (change.getString("change")) {
      case "reload":
        reload(state.getJSONArray("columns"), change);
        break;
      case "row":
        state.getJSONArray("columns").getJSONObject(change.getInt("column"))
            .put("row", change.getInt("row"));
        break;
      case "range":
        state.getJSONObject("calendar")
            .put("range", change.isNull("start") ? JSONObject.NULL : change);
        break;
      case "months":
        state.getJSONObject("calendar").put("months", change);
        break;
      case "cells": case "past": case "closed": case "marks": case "heat": case "best":
        mark(state.getJSONObject("availability"), change);
        break;
      case "definition": case "status": case "result":  // The result is the server's only.
        state.put(change.getString("change"), change.get(change.getString("change")));
        break;
      case "inventory": case "units":
        state.put(change.getString("change"), change.get(change.getString("change")));
        break;
      case "hold":  // Until when it lasts, or the place in the line.
        state.put("hold", change.getString("state").equals("none") ? JSONObject.NULL : change);
        break;
      default:  // Newer than this client, or for drawing only: bands, notes.
    }
  }

  /** A change of an availability. */
  private static void mark(JSONObject cells, JSONObject change) throws JSONException {
    switch (change.getString("change")) {
      case "cells":  // Numbered anew: all marks follow.
        for (Iterator<String> keys = change.keys(); keys.hasNext(); ) {
          String key = keys.next();
          if (!key.equals("change")) cells.put(key, change.get(key));
        }
        cells.put("marks", new JSONArray());
        if (cells.has("heat")) cells.put("heat", new JSONArray());
        break;
      case "marks":
        JSONArray all = cells.getJSONArray("marks"), others = new JSONArray();
        JSONArray runs = new JSONArray();
        for (int index = 0; index < all.length(); index++) {
          JSONObject marks = all.getJSONObject(index);
          if (!marks.getString("member").equals(change.getString("member"))) others.put(marks);
          else runs = marks.getJSONArray("runs");
        }
        change.put("runs", painted(runs, change.getJSONArray("runs")));
        if (change.getJSONArray("runs").length() > 0) others.put(change);
        cells.put("marks", others);
        break;
      case "heat":
        cells.put("respondents", change.get("respondents"))
            .put("heat", painted(cells.getJSONArray("heat"), change.getJSONArray("runs")));
        break;
      case "best":
        cells.put("best", change.get("windows"));
        break;
      default:
        cells.put(change.getString("change"), change.get(change.getString("change")));
    }
  }

  /** Runs [from, until, …] after some cells have got other values; null or zeros are none. */
  private static JSONArray painted(JSONArray runs, JSONArray changed) throws JSONException {
    TreeMap<Integer, JSONArray> cells = new TreeMap<>();
    for (JSONArray part : List.of(runs, changed)) {
      for (int index = 0; index < part.length(); index++) {
        JSONArray run = part.getJSONArray(index);
        for (int cell = run.getInt(0); cell < run.getInt(1); cell++) {
          JSONArray one = new JSONArray().put(cell).put(cell + 1);
          boolean isEmpty = true;
          for (int field = 2; field < run.length(); field++) {
            Object value = run.get(field);
            one.put(value);
            isEmpty &= value == JSONObject.NULL || value.equals(0);
          }
          if (isEmpty) cells.remove(cell);
          else cells.put(cell, one);
        }
      }
    }
    JSONArray painted = new JSONArray();
    for (JSONArray one : cells.values()) painted.put(one);
    return painted;
  }

  /** A column's rows are replaced, a column is added at the end, or removed with all after it. */
  private static void reload(JSONArray columns, JSONObject change) throws JSONException {
    int at = change.getInt("column");
    if (!change.optBoolean("removed")) {
      columns.put(at, change);
    } else {
      while (columns.length() > at) columns.remove(columns.length() - 1);
    }
  }

  // Commands.

  /** Stores a command with the next ref, and sends it. */
  private void enqueue(JSONObject command) throws Exception {
    if (!stored.has("state")) {
      early.add(command);
      return;
    }
    boolean isNew = !command.has("ref");
    if (isNew) addSeen(command);
    long ref = stored.getLong("ref") + 1;
    stored.put("ref", ref).getJSONArray("queue").put(command.put("ref", ref));
    save();
    if (isJoined) sendQueued(command, isNew);
  }

  /** Adds what a command says about the state that its user sees. */
  private void addSeen(JSONObject command) throws JSONException {
    String type = command.getString("type");
    JSONObject calendar = stored.getJSONObject("state").optJSONObject("calendar");
    if (type.equals("mark") && !command.has("generation")) {
      command.put("generation", stored.getJSONObject("state").getJSONObject("availability")
          .getInt("generation"));
    }
    if (LATE.contains(type)) command.put("at", stored.getLong("revision"));
    if (!type.equals("tap") || calendar == null) return;
    JSONObject range = calendar.optJSONObject("range");
    int hits = range == null ? 0 : range.getInt("hits");
    JSONArray queue = stored.getJSONArray("queue");
    for (int index = 0; index < queue.length(); index++) {
      JSONObject sent = queue.getJSONObject(index);
      String before = sent.getString("type");
      if (before.equals("clear")) hits = 0;
      else if (before.equals("set")) hits = sent.getJSONObject("result").has("date") ? 1 : 2;
      else if (before.equals("tap")) hits++;
    }
    command.put("hits", hits);
  }

  private void rename(JSONObject command) throws Exception {
    String wanted = command.getString("name");
    if (wanted.trim().isEmpty() || wanted.codePointCount(0, wanted.length()) > 64) {
      // The server would close the connection with 4400.
      refuse(command, "badMessage", "name must have 1 to 64 characters, not only spaces");
    } else {
      enqueue(command);
    }
  }

  /** Refuses a command that is not sent. */
  private void refuse(JSONObject command, String code, String detail) throws JSONException {
    JSONObject refusal =
        new JSONObject().put("type", "refused").put("code", code).put("detail", detail);
    report(command, refusal);
    events.refused(refusal);
  }

  /** Selects a row as shown; `generation` and `key` identify it. */
  private void select(JSONObject command) throws Exception {
    JSONObject column = stored.getJSONObject("state").getJSONArray("columns")
        .getJSONObject(command.getInt("column"));
    command.put("generation", column.getInt("generation"));
    JSONObject row = column.getJSONArray("rows")
        .optJSONObject(command.getInt("row") - column.getInt("from"));
    if (row != null) command.put("key", row.get("key"));
    enqueue(command);
  }

  /** Finds rows of a column by their texts; a row that was found can be selected. */
  private void find(JSONObject command) throws JSONException {
    if (!isJoined) refuse(command, "offline", "there is no connection");
    else send(command.has("id") ? command : command.put("id", finds++));
  }
}
