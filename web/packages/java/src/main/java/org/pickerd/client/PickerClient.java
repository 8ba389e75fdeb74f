import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
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
 * A complete pickerd client: joins, selects, taps, and survives lost connections and restarts.
 *
 * <pre>java PickerClient.java ws://127.0.0.1:7681/v1/sessions/ID [me.json [TOKEN-FILE]]</pre>
 *
 * Reads commands from standard input, one JSON object per line, without "ref", such as
 * {"type":"tap","date":"2026-11-20"}, {"type":"select","column":0,"row":3},
 * {"type":"set","result":{"local":"2026-12-03T14:20"}} or {"type":"rename","name":"Mia"}.
 * {"type":"state"} prints the state. Fields are used on one thread only, `loop`.
 */
public class PickerClient {
  private static final List<String> ANSWERS = List.of("delta", "reply", "refused");
  /** Commands that are refused if somebody else has changed what their author saw. */
  private static final List<String> LATE =
      List.of("set", "clear", "undo", "redo", "confirm", "cancel", "reopen", "hold");

  private final ScheduledExecutorService loop = Executors.newSingleThreadScheduledExecutor();
  /** A connection whose pong is missing after 20 s is dead: then OkHttp calls onFailure. */
  private final OkHttpClient http =
      new OkHttpClient.Builder().pingInterval(20, TimeUnit.SECONDS).build();
  private final String url;
  private final Path file;
  private final Supplier<String> token;
  /** The token of the current connection. */
  private String current;
  /** In the file: me, epoch, revision, state, ref, the greatest one sent, unanswered commands. */
  private JSONObject stored = new JSONObject();
  /** Commands that were given before the first welcome, when their user had seen nothing. */
  private final List<JSONObject> early = new ArrayList<>();
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

  PickerClient(String url, Path file) throws Exception {
    this(url, file, null);
  }

  /**
   * With a token for a server with {@code --auth token} or {@code keys:}; `token` returns the
   * current one, or null if the user has no access any more, which ends the connection. It is
   * called on `loop` for each connection, and may block.
   */
  PickerClient(String url, Path file, Supplier<String> token) throws Exception {
    this.url = url;
    this.file = file;
    this.token = token;
    stored.put("revision", 0).put("ref", 0).put("queue", new JSONArray());
    if (file != null && Files.exists(file)) stored = new JSONObject(Files.readString(file));
    if (!stored.has("sent")) stored.put("sent", stored.get("ref"));
    post(this::connect);
  }

  interface Step {
    void run() throws Exception;
  }

  /** Runs a step on the loop's thread. An invalid message must not stop the loop. */
  void post(Step step) {
    loop.execute(() -> {
      try {
        step.run();
      } catch (Exception problem) {
        System.err.println("not folded: " + problem);
        drop();
      }
    });
  }

  /** Writes the stored values to the file atomically. */
  private void save() throws IOException {
    if (file == null) return;
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.writeString(fresh, stored.toString());
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  // The connection.

  private void connect() {
    if (token != null && !joinsAsNew) current = token.get();
    if (token != null && current == null) {
      System.err.println("closed: there is no token");
      return;
    }
    Request request = new Request.Builder().url(url)
        .header("Sec-WebSocket-Protocol", "pickerd.v1").build();
    socket = http.newWebSocket(request, new Listener(++connection));
  }

  private JSONObject join() throws JSONException {
    JSONObject join = new JSONObject().put("type", "join").put("name", "Java");
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
    // A second 4301: the member's secret may be wrong. Tries the token once without it.
    joinsAsNew = code == 4301 && isRejected && !joinsAsNew && stored.has("me");
    isRejected = code == 4301;
    // The token is rejected, expired or revoked: resumes with a new one.
    boolean needsToken = (code == 4301 || code == 4302 || code == 4403) && token != null;
    boolean isFinal = code == 1002 || code == 1003 || code == 1007 || code == 1009
        || code >= 4300 && code < 4500;
    // 43xx needs new credentials; 44xx and protocol errors are final.
    if (isFinal && !needsToken) {
      System.err.println("closed with " + code);
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
      case "welcome" -> welcome(message);
      case "snapshot" -> {
        stored.put("revision", message.getLong("revision")).put("state", message.get("snapshot"));
        updateRole(message.optJSONArray("members"));
      }
      case "delta" -> {
        if (message.getLong("revision") != stored.getLong("revision") + 1) {
          drop();  // A gap: resuming sends the missing deltas.
          return;
        }
        stored.put("revision", message.getLong("revision"));
        fold(message.getJSONArray("changes"));
      }
      case "refused" -> {
        if (message.getString("code").equals("tooMany")) {  // Not done; a later one may have been.
          JSONObject command = answered(message.optLong("ref"));
          if (command != null) loop.schedule(() -> post(() -> give(command)), 1, TimeUnit.SECONDS);
        } else {
          System.err.println("refused: " + message);
        }
        fold(message.getJSONArray("changes"));
      }
      case "found" -> System.out.println(message);
      case "presence" -> updateRole(message.optJSONArray("changed"));
      case "draining" -> drainMilliseconds = message.getLong("reconnectAfterMs");
      default -> { }  // From a newer server, or not needed here: reply, months, rows, error.
    }
    if (ANSWERS.contains(type) && message.has("ref")) {
      JSONObject command = answered(message.getLong("ref"));
      if (type.equals("reply") && command != null && command.getString("type").equals("rename")) {
        stored.getJSONObject("me").put("name", command.get("name"));  // Others receive `changed`.
      }
    }
    save();
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
    for (JSONObject command : early) give(command);
    early.clear();
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
      case "reload" -> reload(state.getJSONArray("columns"), change);
      case "row" -> state.getJSONArray("columns").getJSONObject(change.getInt("column"))
          .put("row", change.getInt("row"));
      case "range" -> state.getJSONObject("calendar")
          .put("range", change.isNull("start") ? JSONObject.NULL : change);
      case "months" -> state.getJSONObject("calendar").put("months", change);
      case "cells", "past", "closed", "marks", "heat", "best" ->
          mark(state.getJSONObject("availability"), change);
      case "definition" -> state.put("definition", change.get("definition"));
      case "status" -> state.put("status", change.get("status"));
      case "inventory", "units" ->
          state.put(change.getString("change"), change.get(change.getString("change")));
      case "hold" ->  // Until when it lasts, or the place in the line.
          state.put("hold", change.getString("state").equals("none") ? JSONObject.NULL : change);
      case "result" -> state.put("result", change.get("result"));  // Computed by the server only.
      default -> { }  // Newer than this client, or for drawing only: bands, notes.
    }
  }

  /** A change of an availability. */
  private static void mark(JSONObject cells, JSONObject change) throws JSONException {
    switch (change.getString("change")) {
      case "cells" -> {  // Numbered anew: all marks follow.
        for (Iterator<String> keys = change.keys(); keys.hasNext(); ) {
          String key = keys.next();
          if (!key.equals("change")) cells.put(key, change.get(key));
        }
        cells.put("marks", new JSONArray());
        if (cells.has("heat")) cells.put("heat", new JSONArray());
      }
      case "marks" -> {
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
      }
      case "heat" -> cells.put("respondents", change.get("respondents"))
          .put("heat", painted(cells.getJSONArray("heat"), change.getJSONArray("runs")));
      case "best" -> cells.put("best", change.get("windows"));
      default -> cells.put(change.getString("change"), change.get(change.getString("change")));
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
  void give(JSONObject command) throws Exception {
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

  /** Changes the member's name. */
  void rename(String name) throws Exception {
    if (name.trim().isEmpty() || name.codePointCount(0, name.length()) > 64) {
      // The server would close the connection with 4400.
      System.err.println("refused: a name has 1 to 64 characters, not only spaces");
    } else {
      give(new JSONObject().put("type", "rename").put("name", name));
    }
  }

  /** Selects a row as shown; `generation` and `key` identify it. */
  private void select(JSONObject command) throws Exception {
    JSONObject column = stored.getJSONObject("state").getJSONArray("columns")
        .getJSONObject(command.getInt("column"));
    command.put("generation", column.getInt("generation"));
    JSONObject row = column.getJSONArray("rows")
        .optJSONObject(command.getInt("row") - column.getInt("from"));
    if (row != null) command.put("key", row.get("key"));
    give(command);
  }

  /** Finds rows of a column by their texts; `found` is printed, and a row of it can be selected. */
  private void find(JSONObject command) throws JSONException {
    if (!isJoined) System.err.println("refused: there is no connection");
    else send(command.has("id") ? command : command.put("id", 0));
  }

  private void show() throws JSONException {
    JSONObject shown = new JSONObject();
    JSONObject state = stored.optJSONObject("state"), me = stored.optJSONObject("me");
    if (state != null) shown = new JSONObject(state.toString());
    if (me != null) shown.put("role", me.get("role")).put("name", me.get("name"));
    shown.put("revision", stored.get("revision"));
    int unanswered = stored.getJSONArray("queue").length() + early.size();
    System.out.println(shown.put("unanswered", unanswered));
  }

  /** The token in a file; null if the file is empty. */
  private static String read(Path file) {
    try {
      String token = Files.readString(file).strip();
      return token.isEmpty() ? null : token;
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  public static void main(String[] arguments) throws Exception {
    Path file = arguments.length > 1 ? Path.of(arguments[1]) : null;
    Path tokenFile = arguments.length > 2 ? Path.of(arguments[2]) : null;
    PickerClient client =
        new PickerClient(arguments[0], file, tokenFile == null ? null : () -> read(tokenFile));
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = input.readLine()) != null; ) {
      JSONObject command = new JSONObject(line);
      switch (command.getString("type")) {
        case "state" -> client.post(client::show);
        case "select" -> client.post(() -> client.select(command));
        case "rename" -> client.post(() -> client.rename(command.getString("name")));
        case "find" -> client.post(() -> client.find(command));
        default -> client.post(() -> client.give(command));
      }
    }
    System.exit(0);
  }
}
